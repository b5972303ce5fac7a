package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestClusters: the flag of former ids stays as long as a load balancer names one.
func TestClusters(t *testing.T) {
	for name, test := range map[string]struct {
		former string
		found  clusters
		owned  fact[[]cloud.OwnedBalancer]
		level  Level
		says   string
	}{
		"none":                     {found: clusters{looked: []string{"lb-1", "lb-2"}}, level: OK, says: "2 load balancers looked at"},
		"without a cluster":        {found: clusters{looked: []string{"lb-1", "lb-2"}, without: []string{"shop/web"}}, level: OK, says: "1 load balancer without a cluster in the ownership tags, which the first change writes: shop/web"},
		"of a former id":           {former: "old", found: clusters{looked: []string{"lb-1", "lb-2"}, former: []string{"shop/web: old"}}, level: OK, says: "--former-cluster-ids=old has to stay"},
		"of no former id any more": {former: "old", found: clusters{looked: []string{"lb-1", "lb-2"}}, level: Warning, says: "no load balancer has a former id"},
		"of another cluster":       {former: "old", found: clusters{conflicts: []string{"shop/web: cluster x"}}, level: Failure, says: "may not have"},
		"of a former id, its Service is gone": {
			former: "old", owned: fact[[]cloud.OwnedBalancer]{value: []cloud.OwnedBalancer{{ID: "lb-9", Owners: []cloud.Owner{{Cluster: "old", UID: "9"}}}}}, level: OK, says: "1 load balancer with a former id",
		},
		"one is counted once": {
			former: "old", found: clusters{looked: []string{"lb-1"}, former: []string{"shop/web: old"}},
			owned: fact[[]cloud.OwnedBalancer]{value: []cloud.OwnedBalancer{{ID: "lb-1", Owners: []cloud.Owner{{Cluster: "old", UID: "1"}}}}}, level: OK, says: "1 load balancer with a former id",
		},
		"of a former id, it goes or is nobody's": {
			former: "old", owned: fact[[]cloud.OwnedBalancer]{value: []cloud.OwnedBalancer{
				{ID: "lb-8", Deleting: true, Owners: []cloud.Owner{{Cluster: "old", UID: "9"}}}, {ID: "lb-9", Owners: []cloud.Owner{{Cluster: "old"}, {Cluster: "prod", UID: "1"}, {Cluster: "other", UID: "1"}}},
			}}, level: Warning, says: "no load balancer has a former id",
		},
		"which could not be listed":               {former: "old", owned: missing[[]cloud.OwnedBalancer](errors.New("no list")), level: Skipped, says: "no list"},
		"which could not be listed, without flag": {owned: missing[[]cloud.OwnedBalancer](errors.New("no list")), level: OK, says: "0 load balancers looked at"},
		"which could not all be read":             {found: clusters{err: errors.New("no answer")}, level: Skipped, says: "no answer"},
	} {
		f := services(service("web", time.Hour, func(*corev1.Service) {}))
		f.Manager.ClusterID, f.owned = "prod", test.owned
		f.sky.machines, f.clusters = map[cloud.InstanceID]cloud.Instance{}, test.found
		if test.former != "" {
			f.Manager.FormerClusterIDs = []string{test.former}
		}
		if o := judgeClusters(f); o.Level != test.level || !strings.Contains(o.Message, test.says) {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestLeaving: Services whose load balancer waits for its deletion are looked at too.
func TestLeaving(t *testing.T) {
	deleted := func(s *corev1.Service) {
		s.DeletionTimestamp, s.Finalizers = &metav1.Time{Time: now}, []string{servicehelper.LoadBalancerCleanupFinalizer}
	}
	for name, test := range map[string]struct {
		change func(*corev1.Service)
		leaves bool
	}{
		"deleted":                       {deleted, true},
		"deleted, without finalizer":    {func(s *corev1.Service) { deleted(s); s.Finalizers = nil }, false},
		"asks for one":                  {func(s *corev1.Service) { deleted(s); s.DeletionTimestamp = nil }, false},
		"deleted, disowned":             {func(s *corev1.Service) { deleted(s); s.Annotations = map[string]string{annotation.Disown.Name: "true"} }, false},
		"deleted, another controller's": {func(s *corev1.Service) { deleted(s); s.Spec.LoadBalancerClass = new("other") }, false},
	} {
		f := services(service("web", time.Hour, test.change))
		f.Cloud.Annotations = annotation.Set{annotation.Disown}
		if leaving := f.leaving(); (len(leaving) == 1) != test.leaves {
			t.Errorf("%s: %v", name, leaving)
		}
	}
}
