package instance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestNeverGoneWithoutProof lets a cloud answer at random, with the account changing, lists
// of all kinds and Nodes of all ages, and checks that whenever a Node was reported gone its
// machine had been denied by two direct reads a gap apart, under the right account, with
// nothing that showed it in between.
func TestNeverGoneWithoutProof(t *testing.T) {
	seeds, gone := 60, atomic.Int64{}
	if testing.Short() {
		seeds = 20
	}
	t.Run("seed", func(t *testing.T) {
		for seed := range seeds {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				simulate(t, func(t *testing.T) { gone.Add(int64(chaos(t, uint64(seed)))) })
			})
		}
	})
	if gone.Load() < int64(seeds) {
		t.Errorf("only %d decisions in %d runs: the test proves nothing", gone.Load(), seeds)
	}
}

// witness records what the cloud said about machines, with its own eyes.
type witness struct {
	*world
	rolling sync.Mutex
	random  *rand.Rand
	// denied are the times of direct not-founds since the machine was last shown.
	denied map[cloud.InstanceID][]denial
	wrong  bool
	born   int
}

// newcomer adds a machine and a Node that may have the name of an earlier one, not its UID.
func (c *witness) newcomer(name string, isReady bool) {
	node := c.member(name, isReady).DeepCopy()
	c.born++
	node.UID = types.UID(fmt.Sprintf("uid-%s-%d", name, c.born))
	node.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Duration(c.roll(10)) * time.Minute))
	c.put(node)
}

// roll returns a number below n.
func (c *witness) roll(n int) int {
	c.rolling.Lock()
	defer c.rolling.Unlock()
	return c.random.IntN(n)
}

type denial struct {
	at    time.Time
	wrong bool
}

func chaos(t *testing.T, seed uint64) (gone int) {
	random := rand.New(rand.NewPCG(seed, 7))
	limits := []cloud.Limits{digitalOcean, hetzner, aws}[random.IntN(3)]
	c := &witness{world: newWorld(limits), random: random, denied: map[cloud.InstanceID][]denial{}}
	i := c.inventory(nil)
	c.members("node", 2+random.IntN(60), random.IntN(5) > 0)
	c.onGet, c.onList = c.get, c.list
	c.hide, c.onDenied = c.hidden, c.deny
	c.status(t.Context(), i, 3)
	for range 400 {
		c.mishap()
		for _, node := range c.listNodes() {
			if !Ready(node) {
				gone += c.ask(t, i, node)
			}
		}
		time.Sleep(time.Duration(c.roll(6000)) * time.Millisecond)
	}
	return gone
}

// ask asks for one Node and judges the answer.
func (c *witness) ask(t *testing.T, i *Inventory, node *corev1.Node) (gone int) {
	id, _ := i.ProviderID(node)
	exists, err := i.Exists(t.Context(), node)
	if exists || err != nil {
		if c.roll(4) == 0 {
			_, _ = i.Shutdown(t.Context(), node)
			_, _ = i.Metadata(t.Context(), node)
		}
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	denied := slices.DeleteFunc(slices.Clone(c.denied[id]), func(d denial) bool { return d.wrong })
	if len(denied) < 2 || denied[len(denied)-1].at.Sub(denied[0].at) < i.policy.ConfirmGap {
		t.Errorf("%s reported gone after the direct reads %v", node.Name, denied)
	}
	if time.Since(node.CreationTimestamp.Time) < i.policy.Grace {
		t.Errorf("%s reported gone at the age of %v", node.Name, time.Since(node.CreationTimestamp.Time))
	}
	delete(c.nodes, node.Name)
	return 1
}

// mishap changes something now and then.
func (c *witness) mishap() {
	nodes := c.listNodes()
	if len(nodes) == 0 {
		c.newcomer("last", false)
		return
	}
	node := nodes[c.roll(len(nodes))]
	switch c.roll(12) {
	case 0, 1:
		c.terminate(cloud.InstanceID("id-" + node.Name))
	case 2, 3, 4:
		c.unready(node)
	case 5:
		node = node.DeepCopy()
		setReady(node, true)
		c.put(node)
	case 6:
		c.boot(node.Name)
	case 7:
		wrong := c.roll(3) == 0
		c.mu.Lock()
		c.wrong = !c.wrong && wrong
		c.account = map[bool]string{false: "team-1", true: "team-2"}[c.wrong]
		c.mu.Unlock()
	case 8:
		c.newcomer(fmt.Sprintf("extra-%d", c.roll(1000)), c.roll(2) == 0)
	}
}

func (c *witness) deny(id cloud.InstanceID, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied[id] = append(c.denied[id], denial{at: at, wrong: c.wrong})
}

// hidden says whether a single read denies a machine that exists.
func (c *witness) hidden(id cloud.InstanceID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wrong || c.roll(10) == 0 {
		return true
	}
	delete(c.denied, id)
	return false
}

func (c *witness) get(_ context.Context, id cloud.InstanceID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.roll(15) == 0 {
		return errDown
	}
	return nil
}

func (c *witness) list(_ context.Context, list *cloud.InstanceList) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch n := c.roll(10); {
	case n == 0:
		return errDown
	case n == 1 || c.wrong:
		list.Items = nil
	case n == 2:
		list.Items, list.Complete = list.Items[:len(list.Items)/2], false
	case n == 3:
		list.Items = list.Items[:c.roll(len(list.Items)+1)]
	}
	return nil
}
