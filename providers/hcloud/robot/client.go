// Package robot asks the web service of dedicated servers: the three calls that nodes need, by hand,
// because the known client takes no context.
package robot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// Client makes requests to the web service.
type Client struct {
	base   *url.URL
	http   *http.Client
	secret func(name string) (string, error)
	agent  string
}

// New returns a client on the kernel's transport. User and password are read for every request.
func New(c cloud.Config, base *url.URL) *Client {
	return &Client{base: base, http: cloud.NewClient(c.Transport), secret: c.Secret, agent: c.UserAgent}
}

// Server is a dedicated server.
type Server struct {
	// IP and IPv6 are the main addresses, "" where there is none: the first address of the server,
	// and the network of which its is the first.
	IP   string `json:"server_ip"`
	IPv6 string `json:"server_ipv6_net"`
	// Number is the id.
	Number  int    `json:"server_number"`
	Name    string `json:"server_name"`
	Product string `json:"product"`
	// DC is the data centre, such as FSN1-DC8.
	DC string `json:"dc"`
	// Reset says whether the server can be reset, and its power state read; nil in a list.
	Reset *bool `json:"reset"`
}

// Servers lists all servers of the account. The list has no pages.
func (c *Client) Servers(ctx context.Context) ([]Server, error) {
	var answer []struct{ Server Server }
	if err := c.get(ctx, &answer, "server"); err != nil {
		if refused, ok := errors.AsType[*Error](err); ok && refused.Code == codeNoServer {
			return nil, nil
		}
		return nil, fmt.Errorf("listing dedicated servers: %w", err)
	}
	servers := make([]Server, len(answer))
	for i, item := range answer {
		if item.Server.Number == 0 {
			return nil, fmt.Errorf("listing dedicated servers: %w", cloud.ErrIncomplete)
		}
		servers[i] = item.Server
	}
	return servers, nil
}

// Server reads one server.
func (c *Client) Server(ctx context.Context, number int) (Server, error) {
	var answer struct{ Server Server }
	if err := c.get(ctx, &answer, "server", strconv.Itoa(number)); err != nil {
		return Server{}, fmt.Errorf("reading the dedicated server %d: %w", number, err)
	}
	if answer.Server.Number != number {
		return Server{}, fmt.Errorf("reading the dedicated server %d: %w", number, cloud.ErrIncomplete)
	}
	return answer.Server, nil
}

// ShutOff reports whether a server is off. One that cannot tell is not.
func (c *Client) ShutOff(ctx context.Context, number int) (bool, error) {
	var answer struct {
		Reset struct {
			Number int    `json:"server_number"`
			Status string `json:"operating_status"`
		}
	}
	err := c.get(ctx, &answer, "reset", strconv.Itoa(number))
	if refused, ok := errors.AsType[*Error](err); ok && refused.Code == codeNoReset {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the power state of the dedicated server %d: %w", number, err)
	}
	if answer.Reset.Number != number {
		return false, fmt.Errorf("reading the power state of the dedicated server %d: %w", number, cloud.ErrIncomplete)
	}
	return answer.Reset.Status == "shut off", nil
}

func (c *Client) get(ctx context.Context, answer any, path ...string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath(path...).String(), nil)
	if err != nil {
		return err
	}
	if err := c.authorize(request); err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return refusal(response)
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return &cloud.Unreadable{Why: "it is not JSON"}
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, answer)
}

// authorize puts user and password on a request.
func (c *Client) authorize(request *http.Request) error {
	user, err := c.secret(config.EnvRobotUser)
	if err != nil {
		return &cloud.TokenError{Setting: config.EnvRobotUser, Err: err}
	}
	password, err := c.secret(config.EnvRobotPassword)
	if err != nil {
		return &cloud.TokenError{Setting: config.EnvRobotPassword, Err: err}
	}
	request.SetBasicAuth(user, password)
	request.Header.Set("User-Agent", c.agent)
	return nil
}
