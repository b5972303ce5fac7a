package gce_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// inMemory hands requests to an emulator without a network, so that time can be a test's own.
type inMemory struct{ server *emulator.Server }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	m.server.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// cluster is Nodes and their machines, with what the kernel knows of them.
type cluster struct {
	server    *emulator.Server
	inventory *instance.Inventory
	nodes     []*corev1.Node
}

func newCluster(t *testing.T, nodes int) *cluster {
	t.Helper()
	c := &cluster{server: emulator.New(emulator.Options{})}
	values := map[string]string{"GCE_METADATA_HOST": "metadata"}
	driver, err := gce.New(t.Context(), cloud.Config{
		Transport: run.NewTransport(inMemory{c.server}, run.TransportOptions{Limits: gce.Descriptor().Limits, ReadOnly: gce.ReadOnly, Throttled: gce.Throttled}),
		File:      func() ([]byte, error) { return []byte("[Global]\napi-endpoint = http://emulator/compute/v1/\n"), nil },
		Lookup:    func(name string) string { return values[name] },
		Secret:    func(string) (string, error) { return "", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range c.server.SeedInstances(nodes) {
		c.nodes = append(c.nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(fmt.Sprint(i)), CreationTimestamp: metav1.Now()},
			Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Effect: corev1.TaintEffectNoSchedule}}},
		})
	}
	c.inventory = instance.New(instance.Options{
		Cloud: run.Decorate(driver, run.Options{Name: "gce", Descriptor: gce.Descriptor()}), Nodes: func() []*corev1.Node { return c.nodes },
	})
	return c
}

// metadata asks for the machines of all Nodes, as 20 workers do, and initialises the Nodes.
func (c *cluster) metadata(t *testing.T) {
	t.Helper()
	initialised := make([]*corev1.Node, len(c.nodes))
	queue := make(chan int)
	var workers sync.WaitGroup
	for range 20 {
		workers.Go(func() {
			for i := range queue {
				machine, err := c.inventory.Metadata(t.Context(), c.nodes[i])
				if err != nil {
					t.Error(err)
				}
				initialised[i] = c.nodes[i].DeepCopy()
				initialised[i].Spec = corev1.NodeSpec{ProviderID: machine.ProviderID}
			}
		})
	}
	for i := range c.nodes {
		queue <- i
	}
	close(queue)
	workers.Wait()
	c.nodes = initialised
}

// calls are all requests since the last time, those for tokens and of the metadata server too.
func (c *cluster) calls() int {
	total := c.server.Counters().Total
	c.server.ResetTraffic()
	return total
}

func TestCallsToInitialise(t *testing.T) {
	for nodes, most := range map[int]int{1000: 12, 5000: 20} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, nodes)
				c.metadata(t)
				calls := c.calls()
				t.Logf("%d calls", calls)
				if calls > most {
					t.Errorf("%d calls for %d nodes, want at most %d", calls, nodes, most)
				}
			})
		})
	}
}

// Upstream asks for each node every five minutes: 12,000 calls.
func TestCallsInAnIdleHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 1000)
		c.metadata(t)
		c.calls()
		for range 12 {
			time.Sleep(5 * time.Minute)
			c.metadata(t)
		}
		calls := c.calls()
		t.Logf("%d calls", calls)
		if calls > 60 {
			t.Errorf("%d calls in an hour, want at most 60", calls)
		}
	})
}
