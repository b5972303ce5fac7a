package framework

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	controllermanagerapp "k8s.io/controller-manager/app"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/tagging"
)

// taggable is a driver whose machines can have tags, and nothing else.
type taggable struct {
	bare
	mu    sync.Mutex
	calls []string
}

func (d *taggable) Instances() cloud.Instances { return parser{} }

// parser reads provider-IDs.
type parser struct{ cloud.Instances }

func (parser) ParseProviderID(id string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(id, "stub://")), nil
}

func (d *taggable) TagLabel() string               { return "stub/tagged" }
func (d *taggable) TagResources() []string         { return []string{"instance"} }
func (d *taggable) Taggable(cloud.InstanceID) bool { return true }

func (d *taggable) Tag(_ context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) ([]cloud.InstanceID, error) {
	d.note("tag", ids, tags)
	return nil, nil
}

func (d *taggable) Untag(_ context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) error {
	d.note("untag", ids, tags)
	return nil
}

func (d *taggable) note(verb string, ids []cloud.InstanceID, tags map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, fmt.Sprint(verb, " ", ids, " ", tags))
}

func (d *taggable) expect(t *testing.T, why string, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if difference := cmp.Diff(want, d.calls); difference != "" {
		t.Errorf("%s (-want +got):\n%s", why, difference)
	}
	d.calls = nil
}

// startTagged starts the tagging controller against a fake API server, in a synctest bubble.
func startTagged(t *testing.T, driver cloud.Account, settings tagging.Settings) (*fake.Clientset, error) {
	t.Helper()
	server := fake.NewClientset()
	completed := completedConfig(t, server)
	c, err := New(decorate(Options{
		Provider: registry.Provider{Descriptor: cloud.Descriptor{Name: "stub", ProviderIDSchemes: []string{"stub"}}},
		Tuning:   DefaultTuning(), Tagging: settings, ClusterID: "c",
	}, cloudtest.Driver(driver)), completed, nil)
	if err != nil {
		t.Fatal(err)
	}
	builder := &testBuilder{Builder: *completed.ClientBuilder.(*client.Builder), server: server}
	completed.ClientBuilder = builder
	constructor := Controllers()[controller.Tagging]
	_, started, err := constructor.Constructor(constructor.InitContext, completed, c)(t.Context(), controllermanagerapp.ControllerContext{})
	if started == (err != nil) {
		t.Errorf("started = %t, error %v", started, err)
	}
	startInformers(t, c, completed)
	return server, err
}

func TestTaggingFromBirthToDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver := &taggable{}
		settings := tagging.Settings{Tags: map[string]string{"team": "shop"}, Resources: []string{"instance"}, Workers: 2}
		server, err := startTagged(t, driver, settings)
		if err != nil {
			t.Fatal(err)
		}
		nodes := server.CoreV1().Nodes()
		for _, n := range []*corev1.Node{node("a", "stub://1"), node("b", "stub://2"), node("late", "", withTaint(uninitializedTaint)), node("foreign", "other://3")} {
			n.ResourceVersion = ""
			if _, err := nodes.Create(t.Context(), n, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		settle()
		driver.expect(t, "two machines", "tag [1 2] map[team:shop]")
		for name, want := range map[string]bool{"a": true, "b": true, "late": false, "foreign": false} {
			n, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil || (n.Labels["stub/tagged"] != "") != want {
				t.Errorf("%s: labels %v, %v", name, n.Labels, err)
			}
		}
		time.Sleep(time.Hour)
		driver.expect(t, "nothing happens")
		late, err := nodes.Get(t.Context(), "late", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		late.Spec.ProviderID = "stub://4"
		if _, err := nodes.Update(t.Context(), late, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		driver.expect(t, "a node is initialised", "tag [4] map[team:shop]")
		if err := nodes.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		driver.expect(t, "a node is deleted", "untag [1] map[team:shop]")
	})
}

// Settings that make no sense end the process, as they do upstream.
func TestTaggingRefusesToStart(t *testing.T) {
	good := tagging.Settings{Tags: map[string]string{"team": "shop"}, Resources: []string{"instance"}, Workers: 2}
	synctest.Test(t, func(t *testing.T) {
		if _, err := startTagged(t, bare{}, good); err == nil {
			t.Error("a cloud without tags")
		}
		bad := good
		bad.Tags = nil
		if _, err := startTagged(t, &taggable{}, bad); err == nil || !strings.Contains(err.Error(), "--tags") {
			t.Errorf("no tags: %v", err)
		}
	})
}

// tags notes what it is told.
type tags struct{ log }

func (t *tags) Concerns(before, after *corev1.Node) bool {
	return before.Spec.ProviderID != after.Spec.ProviderID
}

func (t *tags) Deleted(n *corev1.Node) { t.Add(n.Name) }

// A deletion that was missed comes as something that is no Node.
func TestTaggingEventsOfMissedDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told, passes := &tags{}, newLoop("Testing", nil)
		h := taggingEvents(told, passes, window)
		h.OnDelete(cache.DeletedFinalStateUnknown{Key: "a", Obj: node("a", "stub://1")})
		h.OnDelete(cache.DeletedFinalStateUnknown{Key: "b"})
		h.OnDelete("nonsense")
		h.OnUpdate("nonsense", nil)
		time.Sleep(window)
		synctest.Wait()
		if difference := cmp.Diff([]string{"a"}, told.Take()); difference != "" || len(passes.wake) != 1 {
			t.Errorf("told (-want +got):\n%s%d passes", difference, len(passes.wake))
		}
		<-passes.wake
		h.OnUpdate(node("a", "stub://1"), node("a", "stub://1"))
		time.Sleep(window)
		synctest.Wait()
		if len(passes.wake) != 0 {
			t.Error("a heartbeat asks for a pass")
		}
	})
}
