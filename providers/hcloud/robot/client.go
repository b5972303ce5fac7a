// Package robot asks the web service of dedicated servers: the three calls that nodes need, by hand,
// because the known client takes no context.
package robot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
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
	return &Client{base: base, http: cloud.NewClient(api.Answers{Next: c.Transport}), secret: c.Secret, agent: c.UserAgent}
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
		if cloud.IsClass(err, cloud.FailureNotFound) { // of an account without servers
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
	if errors.Is(err, errNoReset) {
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
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK:
		return refusal(response, body)
	case !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json"):
		return &cloud.Unreadable{Why: "it is not JSON"}
	}
	return json.Unmarshal(body, answer)
}

// errNoReset is of servers that cannot be reset, and so tell nothing of their power.
var errNoReset = errors.New("the server cannot be reset")

// codeRateLimit says that the limit is used up.
const codeRateLimit = "RATE_LIMIT_EXCEEDED"

// LockPause is how long requests wait after the limit was used up: the account stays locked for the rest
// of the hour, and each request before its end may prolong that.
const LockPause = 5 * time.Minute

// failure is the object of errors.
type failure struct {
	Error struct{ Code, Message string }
}

func refusal(response *http.Response, body []byte) error {
	var said failure
	if err := json.Unmarshal(body, &said); err != nil {
		return err
	}
	e := &cloud.Error{Op: fmt.Sprintf("Robot answered %d", response.StatusCode), Err: fmt.Errorf("%s (%s)", said.Error.Message, said.Error.Code)}
	switch said.Error.Code {
	case "RESET_NOT_AVAILABLE":
		return errNoReset
	case "SERVER_NOT_FOUND":
		e.Failure = cloud.Failure{Class: cloud.FailureNotFound}
	case codeRateLimit:
		e.Failure = cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: LockPause}
	default:
		e.Failure = cloud.Refusal(cloud.ClassOfStatus(response.StatusCode), response.Header)
	}
	return e
}

// Throttled recognises the answer that says with the status 403 that the rate limit is used up.
func Throttled(response *http.Response) bool {
	if response.StatusCode != http.StatusForbidden {
		return false
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	var said failure
	return err == nil && json.Unmarshal(body, &said) == nil && said.Error.Code == codeRateLimit
}
