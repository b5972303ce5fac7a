package balancer

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
