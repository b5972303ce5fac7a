package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client is safe for concurrent use. A refusal of the API is a *Failure.
type Client struct {
	Endpoint, UserAgent string
	HTTP                *http.Client
	// Token returns what requests bear; it is called for each.
	Token func() (string, error)
}

// ErrNonsense says that an answer lacks what every answer of its kind has.
var ErrNonsense = errors.New("the answer is not one of this API")

// IsNotFound reports a definite answer of the API that something is not there.
func IsNotFound(err error) bool {
	failure, ok := errors.AsType[*Failure](err)
	return ok && failure.Code == CodeNotFound
}

// IsForTargets reports whether the API refuses a request for machines that are to be targets.
func IsForTargets(err error) bool {
	failure, ok := errors.AsType[*Failure](err)
	return ok && strings.HasPrefix(failure.Message, "targets: ")
}

// Account returns who the token belongs to.
func (c *Client) Account(ctx context.Context) (Account, error) {
	account, err := ask[Account](ctx, c, http.MethodGet, "account", nil)
	return account, whole(err, account.ID != "")
}

// Machines returns a page of the machines, all or those of one name.
func (c *Client) Machines(ctx context.Context, name, after string) (MachineList, error) {
	query := url.Values{"name": {name}, "after": {after}}
	page, err := ask[MachineList](ctx, c, http.MethodGet, "machines?"+query.Encode(), nil)
	return page, whole(err, page.Machines != nil)
}

// Machine returns one machine.
func (c *Client) Machine(ctx context.Context, id string) (Machine, error) {
	m, err := ask[Machine](ctx, c, http.MethodGet, "machines/"+url.PathEscape(id), nil)
	return m, whole(err, m.ID == id)
}

// Balancers returns the balancers with all these labels.
func (c *Client) Balancers(ctx context.Context, labels map[string]string) ([]Balancer, error) {
	query := url.Values{}
	for key, value := range labels {
		query.Add("label", key+"="+value)
	}
	list, err := ask[BalancerList](ctx, c, http.MethodGet, "balancers?"+query.Encode(), nil)
	return list.Balancers, whole(err, list.Balancers != nil)
}

// Balancer returns one balancer.
func (c *Client) Balancer(ctx context.Context, id string) (Balancer, error) {
	b, err := ask[Balancer](ctx, c, http.MethodGet, "balancers/"+url.PathEscape(id), nil)
	return b, whole(err, b.ID == id)
}

// Listeners returns the listeners of a balancer.
func (c *Client) Listeners(ctx context.Context, balancer string) ([]Listener, error) {
	list, err := ask[ListenerList](ctx, c, http.MethodGet, "listeners?balancer_id="+url.QueryEscape(balancer), nil)
	return list.Listeners, whole(err, list.Listeners != nil)
}

// Create makes an object of a collection ("balancers", "listeners") and returns its id.
func (c *Client) Create(ctx context.Context, collection string, fields json.Marshaler) (string, error) {
	made, err := ask[struct{ ID string }](ctx, c, http.MethodPost, collection, fields)
	return made.ID, whole(err, made.ID != "")
}

// Update changes these fields of an object.
func (c *Client) Update(ctx context.Context, collection, id string, fields json.Marshaler) error {
	_, err := ask[struct{}](ctx, c, http.MethodPatch, collection+"/"+url.PathEscape(id), fields)
	return err
}

// Delete deletes an object.
func (c *Client) Delete(ctx context.Context, collection, id string) error {
	_, err := ask[struct{}](ctx, c, http.MethodDelete, collection+"/"+url.PathEscape(id), nil)
	return err
}

// whole turns an answer that succeeded without saying anything into an error.
func whole(err error, ok bool) error {
	if err == nil && !ok {
		return ErrNonsense
	}
	return err
}

// ask sends one request and decodes the answer.
func ask[T any](ctx context.Context, c *Client, method, path string, body any) (answer T, err error) {
	content, err := json.Marshal(body)
	if err != nil {
		return answer, fmt.Errorf("encoding the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Endpoint+"/v1/"+path, bytes.NewReader(content))
	if err != nil {
		return answer, err
	}
	token, err := c.Token()
	if err != nil {
		return answer, fmt.Errorf("reading the token: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("User-Agent", c.UserAgent)
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

// refusal reads the failure in an answer.
func refusal(response *http.Response) *Failure {
	failure := &Failure{}
	if json.NewDecoder(response.Body).Decode(failure) != nil || failure.Code == "" {
		failure = &Failure{Message: response.Status}
	}
	failure.Status = response.StatusCode
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	failure.RetryAfter = time.Duration(seconds) * time.Second
	return failure
}
