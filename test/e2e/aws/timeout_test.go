package aws_test

import (
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"
)

// idleTimeout is the portable annotation, and timed the tag of balancers that were given one.
const (
	idleTimeout = "multicloud-ccm.io/idle-timeout"
	timed       = "multicloud-ccm.io/idle-timeout"
)

// timeouts counts the requests about attributes of listeners since from calls.
func (s *site) timeouts(from int) (reads, writes int) {
	for _, call := range s.proxy.Calls()[from:] {
		switch {
		case strings.HasSuffix(call.String(), "DescribeListenerAttributes"):
			reads++
		case strings.HasSuffix(call.String(), "ModifyListenerAttributes"):
			writes++
		}
	}
	return reads, writes
}

// TestIdleTimeout gives the listeners of a network balancer an idle timeout and takes it away. AWS is
// asked for it only in between.
func TestIdleTimeout(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("quiet", network)
	s.ensure(svc)
	s.idle(svc)
	if reads, writes := s.timeouts(0); reads+writes > 0 {
		t.Errorf("nobody asks for an idle timeout, and it was read %d times and written %d times", reads, writes)
	}
	annotated(idleTimeout, "1h")(svc)
	s.ensure(svc)
	s.idle(svc)
	if b := s.lookNetwork(svc); b.idle != "3600" || b.tags[timed] == "" {
		t.Errorf("the idle timeout is %s, the tags are %v", b.idle, b.tags)
	}
	by := s.lookNetwork(svc).listener
	_, err := s.world.Network.ModifyListenerAttributes(t.Context(), &networkapi.ModifyListenerAttributesInput{
		ListenerArn: by.ListenerArn, Attributes: []networktypes.ListenerAttribute{{Key: awssdk.String("tcp.idle_timeout.seconds"), Value: awssdk.String("60")}},
	})
	s.must(err, "changing the idle timeout by hand")
	s.compare(svc)
	if b := s.lookNetwork(svc); b.idle != "3600" {
		t.Errorf("the idle timeout was changed by hand, and is %s", b.idle)
	}
	delete(svc.Annotations, idleTimeout)
	s.ensure(svc)
	if b := s.lookNetwork(svc); b.idle != "350" || b.tags[timed] != "" {
		t.Errorf("the idle timeout is %s, the tags are %v", b.idle, b.tags)
	}
	from := len(s.proxy.Calls())
	s.idle(svc)
	if reads, _ := s.timeouts(from); reads > 0 {
		t.Errorf("the annotation is gone, and the idle timeout was read %d times", reads)
	}
	s.gone(svc, before)
}

// TestIdleTimeoutOfOthers keeps what listeners of TLS and UDP have, and says so.
func TestIdleTimeoutOfOthers(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("mixed", network, annotated(idleTimeout, "600", own+"ssl-cert", s.world.Certificate("one"), own+"ssl-ports", "443"), func(svc *corev1.Service) {
		svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "dns", Protocol: corev1.ProtocolUDP, Port: 53, NodePort: 30053})
	})
	s.ensure(svc)
	if _, writes := s.timeouts(0); writes != 1 {
		t.Errorf("the idle timeout of %d listeners was written, want that of port 80", writes)
	}
	want := "not possible on UDP port 53, TLS port 443"
	if !slices.ContainsFunc(s.events.said, func(text string) bool { return strings.Contains(text, idleTimeout) && strings.Contains(text, want) }) {
		t.Errorf("nobody said %q: %q", want, s.events.said)
	}
	s.idle(svc)
}

// TestIdleTimeoutBounds refuses what AWS would, of each kind of balancer.
func TestIdleTimeoutBounds(t *testing.T) {
	s := newSite(t, siteOptions{})
	for _, test := range []struct{ kind, value, want string }{
		{"nlb", "59", "want at least 60 for a Network Load Balancer"},
		{"nlb", "6001", "between 1 and 6000"},
		{"", "4001", "want at most 4000 for a Classic Load Balancer"},
	} {
		err := s.try(s.service("bad", annotated(own+"type", test.kind, idleTimeout, test.value)))
		if err == nil || !strings.Contains(err.Error(), idleTimeout) || !strings.Contains(err.Error(), test.value) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q with %s: %v; want %q", test.kind, test.value, err, test.want)
		}
	}
}
