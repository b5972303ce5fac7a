package inspect

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// scoped has the machines of one project.
type scoped struct{ machines }

func (scoped) Concerns(providerID string) bool { return strings.HasPrefix(providerID, "fake://mine/") }

func of(providerID string) *corev1.Node {
	return &corev1.Node{Spec: corev1.NodeSpec{ProviderID: providerID}}
}

// TestWhoseNode: of a Node that is left alone it is said whose it is: another project's is not another cloud's.
func TestWhoseNode(t *testing.T) {
	driver := run.Decorate(cloudtest.Driver(scoped{}), run.Options{Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}}})
	offline := run.Decorate(cloudtest.Driver(scoped{}), run.Options{Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}, Offline: true, SchemesSetting: "FAKE_SCHEMES"}})
	for name, test := range map[string]struct {
		cloud *run.Cloud
		node  *corev1.Node
		want  []string
	}{
		"another project":     {driver, of("fake://other/1"), []string{"another part of fake", "project, account or region that these credentials are not for"}},
		"another cloud":       {driver, of("aws:///zone/i-1"), []string{"another cloud", "its provider-ID is one of aws, and none of fake; it is never touched"}},
		"no scheme":           {driver, of("1"), []string{"another cloud", "its provider-ID names no cloud"}},
		"nobody":              {driver, of(""), []string{"nobody", "--cloud-provider=external; it is a target at most"}},
		"opted out":           {driver, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{instance.LabelUnmanaged: "true"}}}, []string{"nobody", "keeps cloud controllers away"}},
		"ours":                {driver, of("fake://mine/1"), []string{"cloud fake", "one of this cloud"}},
		"offline, of no part": {offline, of("fake://other/1"), []string{"somebody else", "and none of fake and FAKE_SCHEMES"}},
		"offline, of others":  {offline, of("k3s://a"), []string{"somebody else", "one of k3s, and none of fake and FAKE_SCHEMES"}},
		"offline, nobody":     {offline, of(""), []string{"nobody", "registered without --cloud-provider=external"}},
		"offline, ours":       {offline, of("fake://mine/1"), []string{"fake", "one of fake"}},
	} {
		test.node.Name = "a"
		i := New(Options{Cloud: test.cloud, Cluster: Cluster{Nodes: []*corev1.Node{test.node}}, Tuning: framework.DefaultTuning()})
		facts := i.ExplainNode(t.Context(), test.node).Sections[0].Facts
		n := slices.IndexFunc(facts, func(f Fact) bool { return f.Name == "owner" })
		if n < 0 || facts[n].Value != test.want[0] || !strings.Contains(facts[n].Why, test.want[1]) {
			t.Errorf("%s: facts %+v, want owner %q", name, facts, test.want)
		}
	}
}
