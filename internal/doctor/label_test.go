package doctor

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A Node whose machine was resized or moved is named, with the old and the new values and the command.
func TestOutdatedLabels(t *testing.T) {
	const size, oldSize, zone, region = "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
	machine := cloud.Instance{ID: "1", Name: "a", Type: "large", Zone: "b", Region: "west", Labels: map[string]string{"pool": "new"}}
	const taint = "node.cloudprovider.kubernetes.io/uninitialized"
	const warns = "warning | node-label-outdated | a: "
	for name, tt := range map[string]struct {
		node   *corev1.Node
		labels map[string]string
		want   string
	}{
		"as its machine":                 {node("a", "fake://1", time.Hour), map[string]string{size: "large", zone: "b", region: "west"}, ""},
		"without labels":                 {node("a", "fake://1", time.Hour), nil, ""},
		"with other labels of the cloud": {node("a", "fake://1", time.Hour), map[string]string{"pool": "old"}, ""},
		"not initialised":                {node("a", "fake://1", time.Minute, taint), map[string]string{size: "small"}, ""},
		"of another cloud":               {node("a", "other://1", time.Hour), map[string]string{size: "small"}, "failure | node-provider-id-foreign | a: its provider-ID other://1 is of another cloud, and fake has a machine of its name, "},
		"resized": {node("a", "fake://1", time.Hour), map[string]string{size: "small", zone: "b"},
			warns + "instance-type small → large: kubectl label node a --overwrite node.kubernetes.io/instance-type=large"},
		"resized, with the label's older name too": {node("a", "fake://1", time.Hour), map[string]string{size: "small", oldSize: "small"},
			warns + "instance-type small → large: kubectl label node a --overwrite beta.kubernetes.io/instance-type=large node.kubernetes.io/instance-type=large"},
		"moved": {node("a", "fake://1", time.Hour), map[string]string{size: "large", zone: "a", region: "east"},
			warns + "region east → west, zone a → b: kubectl label node a --overwrite topology.kubernetes.io/region=west topology.kubernetes.io/zone=b"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &facts{Options: Options{Cloud: fake(driver{}), Patience: DefaultPatience}, now: now}
			tt.node.Labels = tt.labels
			f.nodes.value, f.sky.machines = []*corev1.Node{tt.node}, map[cloud.InstanceID]cloud.Instance{"1": machine}
			f.sky.match(t.Context(), f.Options, f.nodes.value)
			if got := found(t, f, Nodes); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
