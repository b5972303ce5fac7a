package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
)

// owning is a cloud that lists balancers with their owners.
type owning struct{ cloud.OwnedLister }

// orphans are the facts of a cluster "prod" with these balancers and a Service shop/web of the UID 1.
func orphans(change func(*corev1.Service), list ...cloud.OwnedBalancer) *facts {
	f := services(service("web", time.Hour, func(s *corev1.Service) {
		s.UID = "1"
		change(s)
	}))
	f.Cloud.OwnedLister, f.Cloud.Descriptor.IDAnnotation = owning{}, "example.com/id"
	f.Cloud.Annotations = append(f.Cloud.Annotations, annotation.Key{Name: "example.com/kind", Type: annotation.TypeEnum, Enum: []string{"a", "b"}, OtherController: []string{"b"}})
	f.Manager.ClusterID, f.Manager.FormerClusterIDs, f.owned.value = "prod", []string{"old"}, list
	return f
}

func TestOrphans(t *testing.T) {
	asIs := func(*corev1.Service) {}
	off := func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeClusterIP }
	lost := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "old", UID: "9"}
	living := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "1"}
	of := func(owners ...cloud.Owner) cloud.OwnedBalancer {
		return cloud.OwnedBalancer{ID: "lb", Name: "name", Owners: owners, Created: now.Add(-time.Hour), Addresses: []cloud.BalancerAddress{{IP: "192.0.2.1"}}}
	}
	with := func(b cloud.OwnedBalancer, change func(*cloud.OwnedBalancer)) cloud.OwnedBalancer {
		change(&b)
		return b
	}
	annotated := func(key, value string) func(*corev1.Service) {
		return func(s *corev1.Service) { s.Annotations = map[string]string{key: value} }
	}
	const says = `lb "name" at 192.0.2.1: Service `
	for _, tt := range []struct {
		name   string
		change func(*corev1.Service)
		lb     cloud.OwnedBalancer
		want   string
	}{
		{"of a Service that is gone", asIs, of(lost), says + "shop/old is gone"},
		{"of one without its name in the tag", asIs, of(cloud.Owner{Cluster: "prod", UID: "9"}), says + "with the UID 9 is gone"},
		{"of one that an upstream tag names", asIs, of(cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "old"}), says + "shop/old is gone"},
		{"of an earlier one of the same name", asIs, of(cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "9"}), says + "shop/web is another one by now, the UID was 9"},
		{"of two that are gone", asIs, of(lost, cloud.Owner{Cluster: "prod", UID: "8"}), says + "shop/old is gone; Service with the UID 8 is gone"},
		{"of one that asks for none", off, of(living), says + "shop/web asks for none any more, and has no finalizer"},
		{"the same, while it is recorded", func(s *corev1.Service) { off(s); annotated("example.com/id", "lb")(s) }, of(living), says + "shop/web asks for none any more, and has no finalizer"},
		{"of one that asks another controller", func(s *corev1.Service) { s.Spec.LoadBalancerClass = new("other") }, of(living), says + "shop/web asks for none any more, and has no finalizer"},
		{"of one that hands itself over", annotated("example.com/kind", "b"), of(living), says + "shop/web asks for none any more, and has no finalizer"},
		{"of one that kept a former id", asIs, of(cloud.Owner{Cluster: "old", Namespace: "shop", Name: "old", UID: "9"}), says + "shop/old of the former cluster id old is gone"},
		{"when nobody knows its age", asIs, with(of(lost), func(b *cloud.OwnedBalancer) { b.Created = time.Time{} }), says + "shop/old is gone"},
		{"that another one says to have made", func(s *corev1.Service) { s.Annotations = creation.Record{At: now, ID: "lb"}.Annotation() }, of(lost), says + "shop/old is gone"},

		{"of a Service that lives", asIs, of(living), ""},
		{"of a former id of one that lives", asIs, of(cloud.Owner{Cluster: "old", Namespace: "shop", Name: "web", UID: "1"}), ""},
		{"of one that an upstream tag names and that lives", asIs, of(cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}), ""},
		{"of one with its finalizer", func(s *corev1.Service) { off(s); s.Finalizers = []string{servicehelper.LoadBalancerCleanupFinalizer} }, of(living), ""},
		{"of one of two that lives", asIs, of(lost, living), ""},
		{"of one of two of another cluster", asIs, of(lost, cloud.Owner{Cluster: "stage", UID: "9"}), ""},
		{"of another cluster", asIs, of(cloud.Owner{Cluster: "stage", Namespace: "shop", Name: "old", UID: "9"}), ""},
		{"of no cluster", asIs, of(cloud.Owner{UID: "9"}), ""},
		{"of the cluster alone", asIs, of(cloud.Owner{Cluster: "prod"}), ""},
		{"of nobody", asIs, of(), ""},
		{"while the cloud deletes it", asIs, with(of(lost), func(b *cloud.OwnedBalancer) { b.Deleting = true }), ""},
		{"while it is young", asIs, with(of(lost), func(b *cloud.OwnedBalancer) { b.Created = now.Add(-time.Minute) }), ""},
		{"recorded", annotated("example.com/id", "lb"), of(lost), ""},
		{"to be adopted", annotated(annotation.Adopt.Name, "lb"), of(lost), ""},
		{"published", func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}, of(lost), ""},
		{"named for a Service that lives", asIs, with(of(lost), func(b *cloud.OwnedBalancer) { b.Name = cloud.UIDName("1") }), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := judgeOrphans(orphans(tt.change, tt.lb))
			if got := strings.Join(o.Evidence, "|"); got != tt.want || (o.Level == Warning) != (tt.want != "") {
				t.Errorf("got  %s %q\nwant %q", o.Level, got, tt.want)
			}
			if tt.want != "" && (!strings.Contains(o.Fix, annotation.Adopt.Name+": lb") || !strings.Contains(o.Fix, `"prod"`)) {
				t.Errorf("fix %q", o.Fix)
			}
		})
	}
}

// What is not known is said to be unknown, and nothing is told to be an orphan because of it.
func TestOrphansUnknown(t *testing.T) {
	lost := cloud.OwnedBalancer{ID: "lb", Owners: []cloud.Owner{{Cluster: "prod", UID: "9"}}}
	for want, change := range map[string]func(*facts){
		"no right":                  func(f *facts) { f.services.err = errors.New("no right") },
		"no answer":                 func(f *facts) { f.owned.err = errors.New("no answer") },
		"see cloud-unreachable":     func(f *facts) { f.sky.err, f.sky.kind = errors.New("no answer"), silent },
		"not even that of the API":  func(f *facts) { f.services.value = nil },
		"the cluster id is the def": func(f *facts) { f.Manager.ClusterID, f.owned.value[0].Owners[0].Cluster = "kubernetes", "kubernetes" },
	} {
		f := orphans(func(*corev1.Service) {}, cloud.OwnedBalancer{ID: lost.ID, Owners: []cloud.Owner{lost.Owners[0]}})
		change(f)
		if o := judgeOrphans(f); o.Level != Skipped || !strings.Contains(o.Message, want) {
			t.Errorf("want %q, got %+v", want, o)
		}
	}
}

// Many orphans are told in few lines.
func TestOrphansBounded(t *testing.T) {
	var list []cloud.OwnedBalancer
	for range 300 {
		list = append(list, cloud.OwnedBalancer{ID: "lb", Owners: []cloud.Owner{{Cluster: "prod", UID: "9"}}})
	}
	o := judgeOrphans(orphans(func(*corev1.Service) {}, list...))
	if len(o.Evidence) != mostEvidence+1 || !strings.HasPrefix(o.Message, "300 load balancers of Services that are gone") {
		t.Errorf("%d lines, %s", len(o.Evidence), o.Message)
	}
}

// asked is a cloud that notes who asks for its list.
type asked struct{ by *cloud.Owner }

func (a asked) ListOwned(_ context.Context, us cloud.Owner) ([]cloud.OwnedBalancer, error) {
	*a.by = us
	return nil, nil
}

// TestOwnedAsksForFormerIDs: drivers that encode ids know a former one only where it is given to them.
func TestOwnedAsksForFormerIDs(t *testing.T) {
	f := orphans(func(*corev1.Service) {})
	var by cloud.Owner
	f.Cloud.OwnedLister = asked{&by}
	if owned := owned(t.Context(), f); owned.err != nil || by.Cluster != "prod" || !by.HasCluster("old") {
		t.Errorf("asked by %+v, %v", by, owned.err)
	}
}
