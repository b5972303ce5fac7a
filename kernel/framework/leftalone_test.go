package framework

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// half concerns the provider-IDs of one project.
type half struct{ bare }

func (half) Concerns(providerID string) bool { return strings.HasPrefix(providerID, "stub://mine/") }

// nameless finds the machine of the Node "named", while the cloud answers.
type nameless struct {
	err   error
	asked int
}

func (n *nameless) ByName(_ context.Context, nodes []*corev1.Node) (map[string]cloud.Instance, error) {
	n.asked += len(nodes)
	found := map[string]cloud.Instance{}
	for _, node := range nodes {
		if node.Name == "named" {
			found[node.Name] = cloud.Instance{ID: "7"}
		}
	}
	return found, n.err
}

type told struct{ log }

func (l *told) Record(object event.Object, reason event.Reason, message string) {
	l.Add(object.Name + " " + reason.Name + ": " + message)
}

// Nodes of another project, and those that no machine fits, are told so once. All others are never told.
func TestNodesLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names, events := &nameless{err: errors.New("no answer")}, &told{}
		nodes := []*corev1.Node{
			node("ours", "stub://mine/1"), node("theirs", "stub://other/1"), node("foreign", "aws:///zone/i-1"), node("odd", "1"),
			node("opted-out", "stub://other/2", withLabel(instance.LabelUnmanaged, "true")),
			node("new", "", withTaint(uninitializedTaint)), node("named", ""), node("nobody", ""),
		}
		l := &leftAlone{
			cloud:    run.Decorate(&half{}, run.Options{Descriptor: cloud.Descriptor{Name: "stub", ProviderIDSchemes: []string{"stub"}}}),
			machines: names, calls: drain.New(), events: events, grace: 2 * time.Minute,
			nodes: func() []*corev1.Node { return nodes },
		}
		for _, n := range nodes {
			n.CreationTimestamp = metav1.Now()
		}
		ctx, cancel := context.WithCancel(t.Context())
		go l.run(ctx)
		after := func(d time.Duration, want ...string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := events.Take(); !slices.Equal(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		after(119 * time.Second)
		after(time.Minute, "theirs NodeLeftAlone: nothing is done for this Node: its provider-ID stub://other/1 is of a project, account or region of stub that these credentials are not for")
		names.err = nil
		after(time.Minute, "nobody NodeLeftAlone: nothing is done for this Node: it has no provider-ID, its kubelet registered without --cloud-provider=external, and not exactly one machine of stub has its name")
		asked := names.asked
		after(time.Hour)
		if names.asked != asked {
			t.Errorf("asked again for Nodes of which all is said")
		}
		cancel()
		synctest.Wait()
	})
}
