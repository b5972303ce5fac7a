package proxy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

// Services, as they are in paths of routes and faults. The two kinds of load balancers have the
// same name in AWS's signatures and IAM, and differ in the version of their API.
const (
	Compute = "ec2"
	Classic = "elb"
	Network = "elbv2"
	Tokens  = "sts"
)

const networkVersion = "2015-12-01"

// Call is one request to an API of AWS.
type Call struct {
	// Service is one of Compute, Classic, Network and Tokens, or what else the request was signed for.
	Service string
	// Action is what IAM calls it too, as in DescribeInstances.
	Action string
	// Parameters are those of the action, as in Filter.1.Name.
	Parameters url.Values
	// Status is that of the answer, 0 for none.
	Status int
}

// Writes says whether the action can change the cloud. To get a token is reading.
func (c Call) Writes() bool {
	return !slices.ContainsFunc([]string{"Describe", "Get", "List", "AssumeRole"}, func(prefix string) bool {
		return strings.HasPrefix(c.Action, prefix)
	})
}

// Permission is the action's name in IAM policies, as in "ec2:DescribeInstances".
func (c Call) Permission() string {
	if c.Service == Classic || c.Service == Network {
		return "elasticloadbalancing:" + c.Action
	}
	return c.Service + ":" + c.Action
}

// String names the call, as in "elbv2 CreateListener".
func (c Call) String() string { return c.Service + " " + c.Action }

type callKey struct{}

// translate makes of a request, which is a POST to / whatever it does, one that says in its
// method and path what it is about: GET /ec2/DescribeInstances or POST /elbv2/CreateListener.
func translate(r *http.Request) (*http.Request, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	parameters, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("reading the parameters of a request: %w", err)
	}
	call := Call{Service: signedFor(r), Action: parameters.Get("Action"), Parameters: parameters}
	if call.Service == "elasticloadbalancing" {
		call.Service = Classic
		if parameters.Get("Version") == networkVersion {
			call.Service = Network
		}
	}
	method := http.MethodGet
	if call.Writes() {
		method = http.MethodPost
	}
	out := r.Clone(context.WithValue(r.Context(), callKey{}, call))
	out.Method, out.URL.Path = method, "/"+call.Service+"/"+call.Action
	out.Body = io.NopCloser(bytes.NewReader(body))
	return out, nil
}

// signedFor is the service in the signature: Credential=key/20060102/region/service/aws4_request.
// Only STS takes requests without one.
func signedFor(r *http.Request) string {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	scope, _, _ = strings.Cut(scope, ",")
	if parts := strings.Split(scope, "/"); len(parts) == 5 {
		return parts[3]
	}
	return Tokens
}

// called is the call of a translated request.
func called(r *http.Request) Call {
	call, _ := r.Context().Value(callKey{}).(Call)
	return call
}

// recorded is the call of a request in the book.
func recorded(r traffic.Request) Call {
	service, action, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	parameters, _ := url.ParseQuery(r.Body) // it was read before
	return Call{Service: service, Action: action, Parameters: parameters, Status: r.Status}
}
