package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Client speaks the driver's half of the API, as the SDK of another cloud would. It is safe
// for concurrent use. A refusal of the API is a *Failure.
type Client struct {
	// Endpoint is the URL of a world.
	Endpoint  string
	UserAgent string
	HTTP      *http.Client
	// Token returns what requests bear, "" for nothing; it is called for each.
	Token func() (string, error)
}

// ErrNonsense says that an answer lacks what every answer of its kind has: whoever sent it
// was not a world.
var ErrNonsense = errors.New("the answer is not one of this API")

// IsNotFound reports a definite answer of the API that something is not there.
func IsNotFound(err error) bool {
	failure, ok := errors.AsType[*Failure](err)
	return ok && failure.Code == CodeNotFound
}

// Account returns who the credentials belong to.
func (c *Client) Account(ctx context.Context) (Account, error) {
	account, err := ask[Account](ctx, c, http.MethodGet, "/v1/account", nil)
	return account, sound(err, account.ID != "")
}

// Machines returns all machines, or those of one name, from as many pages as there are. A
// page that fails is an error.
func (c *Client) Machines(ctx context.Context, name string) (MachineList, error) {
	all := MachineList{Machines: []Machine{}}
	var paging cloud.Paging
	for query := (url.Values{"name": {name}}); ; {
		page, err := ask[MachineList](ctx, c, http.MethodGet, "/v1/machines?"+query.Encode(), nil)
		if err = sound(err, page.Machines != nil); err != nil {
			return MachineList{}, err
		}
		all.Machines = append(all.Machines, page.Machines...)
		all.UnavailableZones = append(all.UnavailableZones, page.UnavailableZones...)
		if page.Next == "" {
			return all, nil
		}
		if err := paging.Page(len(page.Machines), page.Next); err != nil {
			return MachineList{}, err
		}
		query.Set("after", page.Next)
	}
}

// Machine returns one machine.
func (c *Client) Machine(ctx context.Context, id string) (Machine, error) {
	m, err := ask[Machine](ctx, c, http.MethodGet, "/v1/machines/"+url.PathEscape(id), nil)
	return m, sound(err, m.ID == id)
}

// Balancers returns the balancers with that name, unless "", and all those labels.
func (c *Client) Balancers(ctx context.Context, name string, labels map[string]string) ([]Balancer, error) {
	query := labelQuery(labels)
	query.Set("name", name)
	list, err := ask[BalancerList](ctx, c, http.MethodGet, "/v1/balancers?"+query.Encode(), nil)
	return list.Balancers, sound(err, list.Balancers != nil)
}

// Balancer returns one balancer.
func (c *Client) Balancer(ctx context.Context, id string) (Balancer, error) {
	b, err := ask[Balancer](ctx, c, http.MethodGet, "/v1/balancers/"+url.PathEscape(id), nil)
	return b, sound(err, b.ID == id)
}

// SaveBalancer replaces the whole spec of a balancer, or creates one when the id is "".
func (c *Client) SaveBalancer(ctx context.Context, id string, spec BalancerSpec) (Balancer, error) {
	if id == "" {
		b, err := ask[Balancer](ctx, c, http.MethodPost, "/v1/balancers", spec)
		return b, sound(err, b.ID != "")
	}
	b, err := ask[Balancer](ctx, c, http.MethodPut, "/v1/balancers/"+url.PathEscape(id), spec)
	return b, sound(err, b.ID == id)
}

// DeleteBalancer deletes a balancer. Unless it is gone at once, with the id "", it can be seen for a while.
func (c *Client) DeleteBalancer(ctx context.Context, id string) (Balancer, error) {
	return ask[Balancer](ctx, c, http.MethodDelete, "/v1/balancers/"+url.PathEscape(id), nil)
}

// Routes returns the routes with all those labels.
func (c *Client) Routes(ctx context.Context, labels map[string]string) ([]Route, error) {
	list, err := ask[RouteList](ctx, c, http.MethodGet, "/v1/routes?"+labelQuery(labels).Encode(), nil)
	return list.Routes, sound(err, list.Routes != nil)
}

// CreateRoute creates a route.
func (c *Client) CreateRoute(ctx context.Context, spec RouteSpec) (Route, error) {
	r, err := ask[Route](ctx, c, http.MethodPost, "/v1/routes", spec)
	return r, sound(err, r.ID != "")
}

// DeleteRoute deletes a route.
func (c *Client) DeleteRoute(ctx context.Context, id string) (Route, error) {
	return ask[Route](ctx, c, http.MethodDelete, "/v1/routes/"+url.PathEscape(id), nil)
}

// OperationStates implements cloud.Operations.
func (c *Client) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states := map[string]cloud.OperationState{}
	for some := range slices.Chunk(ids, MaxOperations) {
		list, err := ask[OperationList](ctx, c, http.MethodGet, "/v1/operations?"+url.Values{"id": some}.Encode(), nil)
		if err = sound(err, list.Operations != nil); err != nil {
			return nil, err
		}
		for _, o := range list.Operations {
			states[o.ID] = o.state()
		}
	}
	return states, nil
}

// sound turns an answer that succeeded without saying anything into an error.
func sound(err error, ok bool) error {
	if err == nil && !ok {
		return ErrNonsense
	}
	return err
}

func labelQuery(labels map[string]string) url.Values {
	query := url.Values{}
	for key, value := range labels {
		query.Add("label", key+"="+value)
	}
	return query
}

// ask sends one request and decodes the answer.
func ask[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var answer T
	request, err := c.request(ctx, method, path, body)
	if err != nil {
		return answer, err
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return answer, refusal(response)
	}
	if response.StatusCode == http.StatusNoContent {
		return answer, nil
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return answer, fmt.Errorf("decoding the answer: %w", err)
	}
	return answer, nil
}

func (c *Client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encoding the request: %w", err)
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Endpoint, "/")+path, content)
	if err != nil {
		return nil, err
	}
	token, err := c.Token()
	if err != nil {
		return nil, fmt.Errorf("reading the token: %w", err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("User-Agent", c.UserAgent)
	return request, nil
}

// refusal reads the failure in an answer. A body that is not the API's leaves what the
// status usually means, except that a 404 of somebody else proves nothing.
func refusal(response *http.Response) *Failure {
	failure := &Failure{}
	if err := json.NewDecoder(response.Body).Decode(failure); err != nil || failure.Code == "" {
		failure = &Failure{Code: UsualCode(response.StatusCode), Message: response.Status}
		if failure.Code == CodeNotFound {
			failure.Code = CodeNoSuchCall
		}
	}
	failure.Status = response.StatusCode
	failure.RetryAfter = cloud.RetryAfter(response.Header, time.Now())
	return failure
}
