package framework

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// half concerns the provider-IDs of one project.
type half struct{ bare }

func (half) Concerns(providerID string) bool { return strings.HasPrefix(providerID, "stub://mine/") }

// nameless finds the machine of the Node "named", while the cloud answers. It refuses names that begin with "bad".
type nameless struct {
	mu    sync.Mutex
	err   error
	asked int
	by    map[string]int
}

func (n *nameless) ByName(_ context.Context, nodes []*corev1.Node) (map[string]cloud.Instance, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked += len(nodes)
	found := map[string]cloud.Instance{}
	for _, node := range nodes {
		if n.by != nil {
			n.by[node.Name]++
		}
		if strings.HasPrefix(node.Name, "bad") {
			return found, errors.New("400: not a name")
		}
		if node.Name == "named" {
			found[node.Name] = cloud.Instance{ID: "7"}
		}
	}
	return found, n.err
}

// answers has the cloud answer from now on, and returns for how many Nodes it was asked.
func (n *nameless) answers() (asked int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = nil
	return n.asked
}

type told struct{ log }

func (l *told) Record(object event.Object, reason event.Reason, message string) {
	l.Add(object.Name + " " + reason.Name + ": " + message)
}

func leftAloneOf(names namer, events event.Recorder, nodes func() []*corev1.Node) *leftAlone {
	return &leftAlone{
		cloud:    run.Decorate(cloudtest.Driver(&half{}), run.Options{Descriptor: cloud.Descriptor{Name: "stub", ProviderIDSchemes: []string{"stub"}}}),
		machines: names, calls: drain.New(), events: events, grace: 2 * time.Minute, nodes: nodes,
	}
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
		l := leftAloneOf(names, events, func() []*corev1.Node { return nodes })
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
		names.answers()
		after(time.Minute, "nobody NodeLeftAlone: nothing is done for this Node: it has no provider-ID, its kubelet registered without --cloud-provider=external, and not exactly one machine of stub has its name")
		asked := names.answers()
		after(time.Hour)
		if names.answers() != asked {
			t.Errorf("asked again for Nodes of which all is said")
		}
		cancel()
		synctest.Wait()
	})
}

// The queue of events drops what is too much: thousands of Nodes are told in many looks, each once.
func TestManyNodesLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events, nodes := &told{}, []*corev1.Node{}
		for n := range 3000 {
			nodes = append(nodes, node("n"+strconv.Itoa(n), "stub://other/"+strconv.Itoa(n)))
		}
		l, all := leftAloneOf(&nameless{}, events, func() []*corev1.Node { return nodes }), map[string]bool{}
		for looks := 0; len(all) < len(nodes) && looks <= len(nodes)/mostTold; looks++ {
			l.look(t.Context())
			now := events.Take()
			if len(now) > mostTold {
				t.Fatalf("%d events in one look, want at most %d", len(now), mostTold)
			}
			for _, text := range now {
				if all[text] {
					t.Errorf("told twice: %s", text)
				}
				all[text] = true
			}
		}
		if len(all) != len(nodes) {
			t.Errorf("%d of %d Nodes were told", len(all), len(nodes))
		}
	})
}

// Nodes whose names the cloud refuses block nobody, and are asked for less and less often.
func TestRefusedNamesBlockNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names, events := &nameless{by: map[string]int{}}, &told{}
		nodes := []*corev1.Node{node("bad-a", ""), node("bad-b", ""), node("bad-c", ""), node("nobody", ""), node("named", "")}
		l := leftAloneOf(names, events, func() []*corev1.Node { return nodes })
		for range 2 {
			l.look(t.Context())
			time.Sleep(lookEvery)
		}
		if got := events.Take(); len(got) != 1 || !strings.HasPrefix(got[0], "nobody ") || names.by["named"] != 1 {
			t.Errorf("told %q, asked %v; want the Nodes behind those that fail in the second look", got, names.by)
		}
		for range 59 {
			l.look(t.Context())
			time.Sleep(lookEvery)
		}
		for _, name := range []string{"bad-a", "bad-b", "bad-c"} {
			if n := names.by[name]; n < 2 || n > 8 {
				t.Errorf("%s was asked for %d times in 61 looks, want 2 to 8", name, n)
			}
		}
	})
}

// Where there is no API no machine is missed, and there are no credentials that could be for another part of a cloud.
func TestNodesLeftAloneWithoutAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := &told{}
		l := leftAloneOf(&nameless{}, events, func() []*corev1.Node { return []*corev1.Node{node("theirs", "stub://other/1"), node("bare", "")} })
		l.cloud.Descriptor.Offline = true
		time.Sleep(time.Hour)
		l.look(t.Context())
		want := []string{"bare NodeLeftAlone: nothing is done for this Node: it has no provider-ID, and its kubelet registered without --cloud-provider=external"}
		if got := events.Take(); !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}
