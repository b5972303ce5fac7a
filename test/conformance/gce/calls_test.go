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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
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
	driver    *cloud.Driver
	server    *emulator.Server
	inventory *instance.Inventory
	nodes     []*corev1.Node
}

func newCluster(t *testing.T, nodes int) *cluster {
	t.Helper()
	c := &cluster{server: emulator.New(emulator.Options{})}
	values := map[string]string{"GCE_METADATA_HOST": "metadata"}
	driver, err := gce.New(t.Context(), cloud.Config{
		Transport: transport.New(inMemory{c.server}, transport.Options{Limits: gce.Descriptor().Limits, ReadOnly: gce.ReadOnly, Throttled: gce.Throttled, API: gce.API}),
		File:      func() ([]byte, error) { return []byte("[Global]\napi-endpoint = http://emulator/compute/v1/\n"), nil },
		Lookup:    func(name string) string { return values[name] },
		Secret:    func(string) (string, error) { return "", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.driver = driver
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

// Google counts lists and reads apart, and so do we: while lists are throttled with status 403, reads
// go on.
func TestThrottledListsHoldNoReadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 50)
		list, err := c.driver.Machines.List(t.Context())
		if err != nil || len(list.Items) != 50 {
			t.Fatalf("%d machines: %v", len(list.Items), err)
		}
		c.server.SetRates(map[string]int{"list": 1})
		start, lists := time.Now(), make(chan time.Duration)
		go func() {
			for range 2 { // the second is one too many in this minute
				_, err = c.driver.Machines.List(t.Context())
			}
			lists <- time.Since(start)
		}()
		time.Sleep(time.Second) // the first pause has begun
		begun := time.Now()
		for _, machine := range list.Items {
			found, err := c.driver.Machines.Get(t.Context(), machine.ID)
			if err != nil || len(found) != 1 {
				t.Fatalf("reading %s: %v, %v", machine.ID, found, err)
			}
		}
		if spent := time.Since(begun); spent > time.Second {
			t.Errorf("50 reads took %v while lists are throttled", spent)
		}
		if spent := <-lists; spent < 2*time.Second {
			t.Errorf("lists were not throttled: %v, %v", spent, err)
		}
	})
}
