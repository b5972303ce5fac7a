package loadbalancer

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Only the UID proves that a load balancer was made for a Service, and only certain answers count.
func TestHolds(t *testing.T) {
	elsewhere := func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("example.com/other") }
	uid := string(service().UID)
	tests := map[string]struct {
		name          string // of what is there, "" for nothing
		ownershipTags []string
		read, trust   error
		recorded      string
		want, fails   bool
	}{
		"nothing":                        {},
		"tagged":                         {name: "other", ownershipTags: []string{"cluster=prod", "uid=" + uid}, want: true},
		"the UID is its name":            {name: cloud.UIDName(uid), recorded: "lb-9", want: true},
		"a recorded id alone":            {name: "other", recorded: "lb-9"},
		"a chosen name":                  {name: "web"},
		"a chosen name, of this cluster": {name: "web", ownershipTags: []string{"cluster=prod"}},
		"another Service's":              {name: "web", ownershipTags: []string{"uid=" + victimUID}},
		"it is not read":                 {name: "other", ownershipTags: []string{"uid=" + uid}, read: errors.New("no answer"), fails: true},
		"the credentials are others":     {trust: errors.New("another account"), fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, elsewhere, annotated(keyID.Name, test.recorded))
			if test.name != "" {
				f.place("lb-9", test.name, test.ownershipTags...)
			}
			f.driver.fail = func(string, bool) error { return test.read }
			f.distrust = test.trust
			got, err := f.Holds(t.Context(), f.svc)
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("holds %t, error %v", got, err)
			}
			f.wrote()
			f.said()
		})
	}
}
