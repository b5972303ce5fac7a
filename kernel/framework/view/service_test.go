package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

func TestServiceViewEvents(t *testing.T) {
	ours := service("web")
	classed := service("web", withClass("example.com/other"), withFinalizer)
	plain := service("web", withType(corev1.ServiceTypeClusterIP))
	stripped := service("web", withType(corev1.ServiceTypeClusterIP), withFinalizer)
	tests := []struct {
		name string
		play func(h cache.ResourceEventHandler)
		want []string
	}{
		{"ours", func(h cache.ResourceEventHandler) { h.OnAdd(ours, true) }, []string{"add shop/web"}},
		{"classed", func(h cache.ResourceEventHandler) { h.OnAdd(classed, true) }, nil},
		{"classed is deleted", func(h cache.ResourceEventHandler) { h.OnUpdate(classed, classed); h.OnDelete(classed) }, nil},
		{"class goes with the type while the other cleans up", func(h cache.ResourceEventHandler) {
			h.OnAdd(classed, false)
			h.OnUpdate(classed, stripped)
			h.OnUpdate(stripped, stripped)
		}, nil},
		{"and becomes ours", func(h cache.ResourceEventHandler) {
			h.OnAdd(classed, false)
			h.OnUpdate(classed, stripped)
			h.OnUpdate(stripped, plain)
			h.OnUpdate(plain, ours)
		}, []string{"add shop/web", "update shop/web"}},
		{"ours is handed over without finalizer", func(h cache.ResourceEventHandler) { h.OnUpdate(ours, service("web", withClass("example.com/other"))) }, []string{"add shop/web"}},
		{"ours is handed over", func(h cache.ResourceEventHandler) { h.OnUpdate(service("web", withFinalizer), classed) }, []string{"update shop/web"}},
		{"ours is handed over by and by", func(h cache.ResourceEventHandler) {
			h.OnAdd(service("web", withFinalizer), true)
			h.OnUpdate(service("web", withFinalizer), stripped)
			h.OnUpdate(stripped, classed)
			h.OnUpdate(classed, service("web", withClass("example.com/other")))
			h.OnUpdate(service("web", withClass("example.com/other")), classed) // the other one's finalizer
		}, []string{"add shop/web", "update shop/web", "update shop/web", "add shop/web"}},
		{"ours was handed over unseen", func(h cache.ResourceEventHandler) {
			h.OnAdd(service("web", withClass("example.com/other"), withFinalizer, withAnnotation("multicloud-ccm.io/creation", `{"at":"2026-11-26T16:37:05Z"}`)), true)
		}, []string{"add shop/web"}},
		{"ours is deleted, and held by others", func(h cache.ResourceEventHandler) {
			h.OnAdd(service("web", func(s *corev1.Service) { s.DeletionTimestamp = new(metav1.Now()) }), true)
		}, nil},
		{"ours is deleted unseen", func(h cache.ResourceEventHandler) {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: "shop/web", Obj: ours})
		}, []string{"delete shop/web"}},
		{"classed is deleted unseen", func(h cache.ResourceEventHandler) {
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: "shop/web", Obj: classed})
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen log
			tt.play(&serviceEvents{NewServices(nil, handover.Signs{}), handler(&seen)})
			if diff := cmp.Diff(tt.want, seen.Take()); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServiceViewLister(t *testing.T) {
	informer := cluster(t).Core().V1().Services()
	put(t, informer.Informer(), service("web"), service("plain", withType(corev1.ServiceTypeClusterIP)), service("theirs", withClass("x")))
	v := NewServices(informer, handover.Signs{})
	names := func(services []*corev1.Service, err error) []string {
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, svc := range services {
			all = append(all, svc.Name)
		}
		return all
	}
	if got := names(v.Lister().List(labels.Everything())); len(got) != 2 {
		t.Errorf("listed %v", got)
	}
	if got := names(v.Lister().Services("shop").List(labels.Everything())); len(got) != 2 {
		t.Errorf("listed %v", got)
	}
	if _, err := v.Lister().Services("shop").Get("theirs"); !apierrors.IsNotFound(err) {
		t.Errorf("hidden: %v", err)
	}
	if diff := cmp.Diff([]string{"web"}, names(v.Balancers(), nil)); diff != "" {
		t.Errorf("balancers (-want +got):\n%s", diff)
	}
	if v.Current(service("web")) == nil {
		t.Error("not found")
	}
	if v.Current(service("web", func(s *corev1.Service) { s.UID = "another" })) != nil {
		t.Error("found another Service of that name")
	}
}

func TestRecordedAnnotationsAreNoChange(t *testing.T) {
	const id, other = "example.com/id", "example.com/other"
	before := service("web", withAnnotation(other, "x"))
	tests := []struct {
		name  string
		after *corev1.Service
		same  bool
	}{
		{"only ours", service("web", withAnnotation(other, "x"), withAnnotation(id, "7")), true},
		{"another value", service("web", withAnnotation(other, "x"), withAnnotation(id, "8")), false},
		{"and the user's", service("web", withAnnotation(other, "y"), withAnnotation(id, "7")), false},
		{"removed", service("web", withAnnotation(id, "7")), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := NewServices(nil, handover.Signs{})
			v.Recorded(before, map[string]string{id: "7"})
			got := v.withRecorded(before, tt.after)
			if same := cmp.Equal(got.Annotations, tt.after.Annotations); same != tt.same {
				t.Errorf("seen as %v to %v", got.Annotations, tt.after.Annotations)
			}
			if len(before.Annotations) != 1 {
				t.Error("the informer's object was changed")
			}
		})
	}
}
