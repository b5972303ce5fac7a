package hcloud_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
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
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// fleet is a cluster whose Nodes the kernel looks after, in virtual time.
type fleet struct {
	*testing.T
	server    *emulator.Server
	values    map[string]string
	inventory *instance.Inventory

	mu      sync.Mutex
	nodes   map[string]*corev1.Node
	deleted []string
}

// open has a Ready Node for each machine, and the kernel on its transport.
func (f *fleet) open() {
	f.Helper()
	f.nodes = map[string]*corev1.Node{}
	for _, m := range f.server.State().Machines {
		f.nodes[m.Name] = member(m.Name, "hcloud://"+strconv.FormatInt(m.ID, 10))
	}
	for _, m := range f.server.Robot.Machines() {
		f.nodes[m.Name] = member(m.Name, "hrobot://"+strconv.FormatInt(m.Number, 10))
	}
	d := hcloud.Descriptor()
	limited := transport.New(inMemory{f.server}, transport.Options{Cloud: "hcloud", Limits: d.Limits, API: hcloud.API, Throttled: hcloud.Throttled})
	driver, err := hcloud.New(f.Context(), configured(limited, f.values))
	if err != nil {
		f.Fatal(err)
	}
	f.inventory = instance.New(instance.Options{Cloud: run.Decorate(driver, run.Options{Descriptor: d}), Nodes: f.all})
	f.live(10*time.Minute, 0)
}

func member(name, providerID string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}},
	}
}

func (f *fleet) all() []*corev1.Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.nodes))
}

// notReady has the kubelets of Nodes say nothing any more.
func (f *fleet) notReady(names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		node := f.nodes[name].DeepCopy()
		node.Status.Conditions[0].Status, node.Status.Conditions[0].LastTransitionTime = corev1.ConditionUnknown, metav1.Now()
		f.nodes[name] = node
	}
}

// live does for that time what the controllers do: they ask for each Node that is not Ready every five seconds, and for
// the addresses of all Nodes every five minutes, first after that time.
func (f *fleet) live(how, first time.Duration) {
	begin := time.Now()
	for status := begin.Add(first); time.Since(begin) < how; time.Sleep(5 * time.Second) {
		for _, node := range f.all() {
			if node.Status.Conditions[0].Status != corev1.ConditionTrue {
				f.look(node)
			}
			if !time.Now().Before(status) {
				_, _ = f.inventory.Metadata(f.Context(), node)
			}
		}
		if !time.Now().Before(status) {
			status = status.Add(5 * time.Minute)
		}
	}
}

func (f *fleet) look(node *corev1.Node) {
	exists, err := f.inventory.Exists(f.Context(), node)
	switch {
	case err != nil:
	case exists:
		_, _ = f.inventory.Shutdown(f.Context(), node)
	default:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.deleted = append(f.deleted, node.Name)
		delete(f.nodes, node.Name)
	}
}

// virtually runs a test of a fleet in a time of its own.
func virtually(t *testing.T, servers, dedicated int, values map[string]string, test func(*fleet)) {
	t.Helper()
	server, _ := start(t, emulator.Options{})
	server.SeedMachines(servers)
	server.Robot.Seed(dedicated)
	server.SetToken("rotated", "default")
	server.SetToken("elsewhere", "another project")
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{T: t, server: server, values: robots(variables(server))}
		maps.Copy(f.values, values)
		f.open()
		test(f)
		time.Sleep(2 * cloud.CallTimeout) // what is still asked ends
	})
}

// Of 1,000 servers one is off and one is deleted. For ten minutes that costs little beside the lists, and nobody else's Node
// goes. Upstream read all servers for each.
func TestOneIsOffAndOneIsDeleted(t *testing.T) {
	virtually(t, 1000, 0, nil, func(f *fleet) {
		machines := f.server.State().Machines
		off, gone := machines[0], machines[1]
		if err := f.server.PowerOff(off.ID); err != nil {
			f.Fatal(err)
		}
		if err := f.server.DeleteMachines(gone.ID); err != nil {
			f.Fatal(err)
		}
		f.notReady(off.Name, gone.Name)
		f.server.ResetTraffic()
		f.live(10*time.Minute, 5*time.Minute)
		c := f.server.Counters()
		lists := c.Of("GET /v1/servers")
		f.Logf("ten minutes: %d requests, %d of them pages of lists", c.Total, lists)
		if hour := 6 * (c.Total - lists); hour > 300 {
			f.Errorf("%d requests an hour beside the lists: %v", hour, c.Routes)
		}
		if !slices.Equal(f.deleted, []string{gone.Name}) {
			f.Errorf("deleted %v", f.deleted)
		}
		if stopped, err := f.inventory.Shutdown(f.Context(), f.nodes[off.Name]); err != nil || !stopped {
			f.Errorf("the server that is off: %t, %v", stopped, err)
		}
	})
}

// Whatever the APIs answer and whoever the credentials belong to: no Node is deleted whose machine is there.
func TestWrongAnswersDeleteNothing(t *testing.T) {
	const list, each = "/v1/servers", "/v1/servers/*"
	unknown := fault.Fault{Path: each, Status: http.StatusNotFound}
	empty := fault.Empty("")
	empty.Path = list
	faults := func(all ...fault.Fault) func(*fleet) {
		return func(f *fleet) {
			for _, one := range all {
				f.server.AddFault(one)
			}
		}
	}
	token := func(text string) func(*fleet) { return func(f *fleet) { f.values["HCLOUD_TOKEN"] = text } }
	for name, test := range map[string]struct {
		values map[string]string
		begin  func(*fleet)
		// goes says that a Node of a deleted machine goes meanwhile.
		goes bool
	}{
		"nothing is wrong":                             {begin: func(*fleet) {}, goes: true},
		"a rotated token":                              {begin: token("rotated"), goes: true},
		"a rotated token, no network":                  {values: map[string]string{"HCLOUD_NETWORK": ""}, begin: token("rotated"), goes: true},
		"the token of another project":                 {begin: token("elsewhere")},
		"the token of another project, no network":     {values: map[string]string{"HCLOUD_NETWORK": ""}, begin: token("elsewhere")},
		"a token that is refused":                      {begin: token("nobody's")},
		"an empty list":                                {begin: faults(empty)},
		"an empty list, and 404s":                      {begin: faults(empty, unknown)},
		"a short list, and 404s":                       {begin: faults(fault.Fault{Path: list, List: &fault.List{Keep: 20, Consistent: true}}, unknown)},
		"no second page":                               {begin: faults(fault.Fault{Path: list, Page: 2, Status: http.StatusInternalServerError})},
		"404s to everything":                           {begin: faults(fault.Fault{Path: "/v1/**", Status: http.StatusNotFound})},
		"Robot's limit is used up":                     {begin: func(f *fleet) { f.server.Robot.SetLimits(1, 1) }, goes: true},
		"Robot refuses the login":                      {begin: func(f *fleet) { f.server.Robot.SetLogin("robot-user", "another") }, goes: true},
		"Robot knows no server, as an account of none": {begin: func(f *fleet) { f.server.Robot.Clear() }},
	} {
		t.Run(name, func(t *testing.T) {
			virtually(t, 120, 6, test.values, func(f *fleet) {
				machines := f.server.State().Machines
				var silent []string
				for n := range 60 {
					silent = append(silent, machines[n].Name)
				}
				for n := range 3 {
					silent = append(silent, fmt.Sprintf("metal-%d", n))
				}
				f.notReady(silent...)
				test.begin(f)
				f.live(30*time.Minute, 0)
				if len(f.deleted) > 0 {
					f.Fatalf("deleted: %v", f.deleted)
				}
				last := machines[len(machines)-1]
				if err := f.server.DeleteMachines(last.ID); err != nil {
					f.Fatal(err)
				}
				f.notReady(last.Name)
				f.live(10*time.Minute, 0)
				if want := []string{last.Name}; test.goes && !slices.Equal(f.deleted, want) || !test.goes && len(f.deleted) > 0 && !slices.Equal(f.deleted, want) {
					f.Errorf("deleted: %v; goes: %t", f.deleted, test.goes)
				}
			})
		})
	}
}
