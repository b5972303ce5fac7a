package toycloud_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud"
	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

func TestConformance(t *testing.T) {
	const fixed = "the API has no such field: it is what the cloud does"
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (cloud.Driver, conformance.Control) {
			s := newToy()
			return newDriver(t, s), s
		},
		Descriptor:  toycloud.Descriptor(),
		Annotations: toycloud.Annotations(),
		Variations:  map[string]conformance.Variation{toycloud.Internal.Name: {Value: "true"}},
		Constant: map[string]string{
			"dualStack": fixed, "health.protocol": fixed, "health.path": fixed, "health.interval": fixed,
			"health.timeout": fixed, "health.healthy": fixed, "health.unhealthy": fixed,
		},
		Impossible: map[string]string{"mixed-protocols": "a balancer has one listener for each port"},
		Errors: map[string]conformance.APIError{
			"quota":         {Fault: conformance.Fault{Status: http.StatusForbidden, Body: `{"code":"quota_exceeded","message":"full"}`}, Want: cloud.FailureQuota},
			"404 of others": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
		},
		Passes: 8,
	})
}

// newDriver returns a driver that talks to the cloud through a real connection.
func newDriver(t *testing.T, s *toy) cloud.Driver {
	t.Helper()
	server := httptest.NewServer(s)
	base := &http.Transport{}
	t.Cleanup(func() {
		s.Heal()
		base.CloseIdleConnections()
		server.Close()
	})
	driver, err := toycloud.New(t.Context(), cloud.Config{
		Cloud: "toycloud", Transport: transport.Guard(base, toycloud.Descriptor().Limits), UserAgent: "multicloud-ccm/test",
		Lookup: func(string) string { return server.URL },
		Secret: func(string) (string, error) { return toyToken, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return driver
}

var (
	_ conformance.Control   = (*toy)(nil)
	_ conformance.Tamperer  = (*toy)(nil)
	_ conformance.Inspector = (*toy)(nil)
)

func (s *toy) AddMachine(name string) cloud.InstanceID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.newID("m")
	s.machines = append(s.machines, api.Machine{ID: id, Name: name, Type: "small", Zone: "toy-a", Power: "running", IP: "10.0.0." + strings.TrimPrefix(id, "m-")})
	return cloud.InstanceID(id)
}

func (s *toy) RemoveMachine(id cloud.InstanceID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machines = slices.DeleteFunc(s.machines, func(m api.Machine) bool { return m.ID == string(id) })
}

func (s *toy) StopMachine(id cloud.InstanceID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.machines {
		if m.ID == string(id) {
			s.machines[i].Power = "stopped"
		}
	}
}

func (s *toy) Requests() (reads, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads, s.writes
}

func (s *toy) Fail(f conformance.Fault, after int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = &fault{Fault: f, pass: after, healed: make(chan struct{})}
}

func (s *toy) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		close(s.fault.healed)
		s.fault = nil
	}
}

// Settle ends the time for which balancers are busy with a change.
func (s *toy) Settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.balancers {
		s.balancers[i].Status = "active"
	}
}

func (s *toy) Leftovers() (left []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.balancers {
		left = append(left, b.ID)
	}
	for _, l := range s.listeners {
		left = append(left, l.ID)
	}
	return left
}

func (s *toy) TamperBalancer(id, field string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.balancer(id)
	switch {
	case err != nil:
		return false
	case field == cloud.FieldName:
		b.Name = "by-hand"
	case field == cloud.FieldOwnershipTags:
		b.Labels = map[string]string{"team": "shop"}
	case field == "health.port":
		b.HealthPort = 1
	case strings.HasSuffix(field, " targetPort"):
		for i, l := range s.listeners {
			if field == l.Protocol+"/"+strconv.Itoa(l.Port)+" targetPort" {
				s.listeners[i].TargetPort = 1
			}
		}
	default:
		return false
	}
	return true
}
