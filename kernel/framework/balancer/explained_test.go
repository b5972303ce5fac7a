package balancer

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Equal failures have equal texts, which say what to do.
func TestExplained(t *testing.T) {
	failure := func(request string) error {
		return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: "observe", Err: &url.Error{
			Op: "Get", URL: "https://api.example.com/v2/" + request, Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")},
		}}
	}
	one, two := forEvents(failure("a")), forEvents(failure("b"))
	if one.Error() != two.Error() || !strings.Contains(one.Error(), "firewall") || strings.Contains(one.Error(), "example.com") {
		t.Errorf("%q and %q", one, two)
	}
	if !cloud.IsClass(one, cloud.FailureTransient) {
		t.Error("the class is lost")
	}
}

// What is wrong with a Service has an event of its own: the service controller's does not repeat it. What nobody else says it
// says whole.
func TestSaidOnce(t *testing.T) {
	wrong := problem.Invalid("example.com/size", "huge", "want small")
	failed := problem.Of(event.CloudFailure, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: "check", Err: errors.New("no answer")})
	for want, err := range map[string]error{
		"not possible: example.com/size" + SaidElsewhere: problem.Combine([]problem.Warning{wrong, wrong}),
		wrong.Message + "; check: no answer":             problem.Combine([]problem.Warning{wrong, failed}),
		wrong.Message:                                    wrong.Err,
	} {
		if got := forEvents(err); !strings.HasPrefix(got.Error(), want) || !errors.Is(got, wrong.Err) {
			t.Errorf("%v, want %q", got, want)
		}
	}
}
