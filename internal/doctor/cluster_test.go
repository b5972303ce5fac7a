package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestClusters: the flag of former ids stays as long as a load balancer names one.
func TestClusters(t *testing.T) {
	for name, test := range map[string]struct {
		former string
		found  clusters
		level  Level
		says   string
	}{
		"none":                        {found: clusters{looked: 2}, level: OK, says: "2 load balancers looked at"},
		"without a cluster":           {found: clusters{looked: 2, without: []string{"shop/web"}}, level: OK, says: "1 load balancer without a cluster in the ownership tags, which the first change writes: shop/web"},
		"of a former id":              {former: "old", found: clusters{looked: 2, former: []string{"shop/web: old"}}, level: OK, says: "--former-cluster-ids=old has to stay"},
		"of no former id any more":    {former: "old", found: clusters{looked: 2}, level: Warning, says: "no load balancer has a former id"},
		"of another cluster":          {former: "old", found: clusters{conflicts: []string{"shop/web: cluster x"}}, level: Failure, says: "may not have"},
		"which could not all be read": {found: clusters{err: errors.New("no answer")}, level: Skipped, says: "no answer"},
	} {
		f := services(service("web", time.Hour, func(*corev1.Service) {}))
		f.sky.machines, f.clusters = map[cloud.InstanceID]cloud.Instance{}, test.found
		if test.former != "" {
			f.Manager.FormerClusterIDs = []string{test.former}
		}
		if o := judgeClusters(f); o.Level != test.level || !strings.Contains(o.Message, test.says) {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
