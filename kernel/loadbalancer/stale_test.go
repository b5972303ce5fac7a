package loadbalancer

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// An ensure can wait for the deletion of the same Service and run after it, with the Service as it
// was. Nothing may be made or tagged then: nobody would delete it.
func TestEnsureAfterTheDeletion(t *testing.T) {
	for name, leave := range map[string]func(*fixture){
		"gone":           func(f *fixture) { f.others = []*corev1.Service{victim("bank")} },
		"going":          func(f *fixture) { f.others[0].DeletionTimestamp = &metav1.Time{} },
		"another type":   func(f *fixture) { f.others[0].Spec.Type = corev1.ServiceTypeClusterIP },
		"made once more": func(f *fixture) { f.others[0].UID = "89ab" },
	} {
		for _, retain := range []string{"false", "true"} {
			t.Run(name+", retain "+retain, func(t *testing.T) {
				f := newFixture(t, annotated(annotation.Retain.Name, retain))
				f.settle()
				f.others = []*corev1.Service{f.svc.DeepCopy()}
				leave(f)
				if err := f.Delete(t.Context(), f.svc); err != nil {
					t.Fatal(err)
				}
				f.driver.writes = nil
				f.events.take()
				f.owners.Services = func() []*corev1.Service { return f.others }
				_, err := f.Ensure(t.Context(), f.svc, f.nodes)
				waits(t, err, problem.PollFirst)
				f.wrote()
				f.said()
			})
		}
	}
}

// A cache that shows the Service as it is, or no Service at all, stops nothing.
func TestEnsureOfAServiceThatStays(t *testing.T) {
	for name, cached := range map[string][]*corev1.Service{"empty": nil, "there": {service()}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.others = cached
			f.settle()
			f.only()
		})
	}
}
