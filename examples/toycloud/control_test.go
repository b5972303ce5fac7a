package toycloud_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
)

// What the conformance suite does to the cloud behind the driver's back.
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
