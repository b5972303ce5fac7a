package hcloud_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// full takes the sizes that are published. Smaller ones cost as much for each page of servers, each load balancer
// and each target.
var (
	full  = flag.Bool("full", false, "1,000 servers, 50 load balancers and 10 new nodes")
	large = flag.Int("servers", 1000, "so many servers in place of the 1,000 of -full")
)

const (
	// takes is how long an action of the cloud goes on.
	takes = time.Second
	// listAge is how long a list of all load balancers serves. A slow machine takes longer, and needs more of them.
	listAge = 2 * time.Second
	// typesAge is how long a list of the types of load balancers serves.
	typesAge = 5 * time.Second
	// most is how many targets a load balancer of the default type has.
	most = 25
)

// calls opens a site with the published quota, and requests that take 30 ms.
func calls(t *testing.T) *site {
	s := open(t)
	s.Cloud.SetQuota(rate.Quota{Hour: emulator.PublishedQuota})
	s.Cloud.SetLatency(30 * time.Millisecond)
	s.hetzner.SetDelay(takes)
	return s
}

// TestCalls is what new servers, load balancers and a restart cost.
func TestCalls(t *testing.T) {
	servers, services := 150, 6
	if *full {
		servers, services = *large, 50
	}
	s := calls(t)
	s.join(servers, testcloud.Machine.Node)
	s.start(nil)
	s.initialise(servers)
	got := s.look()
	s.atMost(fmt.Sprintf("%d servers are initialised", servers), got.total, s.Cloud.Facts().Pages(servers)+10, got)

	s.service("front", 80, 443, 8443)
	s.serve("front")
	s.targets(1, most)
	s.told("front", "EnsuredLoadBalancer", 1)
	got = s.look()
	s.atMost("a load balancer of 3 ports and 25 targets", got.total-got.servers, 8, got)

	s.annotate("front", "example.com/unrelated", "1")
	s.told("front", "EnsuredLoadBalancer", 2)
	got = s.look()
	s.atMost("it is ensured again: writes", got.writes, 0, got)
	s.atMost("it is ensured again: reads", got.total-got.servers, 2, got)

	var names []string
	for n := range services {
		names = append(names, fmt.Sprintf("web-%d", n))
		s.service(names[n], 80)
	}
	s.serve(names...)
	s.targets(services+1, most)
	for _, name := range names {
		s.told(name, "EnsuredLoadBalancer", 1)
	}
	got = s.look()
	s.atMost(fmt.Sprintf("%d load balancers at once: writes", services), got.writes, services, got)
	s.atMost("… lists of types", got.routes["GET /v1/load_balancer_types"], min(services-1, got.each(typesAge)), got)

	s.start(nil)
	for _, name := range append(names, "front") {
		s.told(name, "EnsuredLoadBalancer", 1)
	}
	got = s.look()
	s.atMost("a restart: writes", got.writes, 0, got)
	// All pages of load balancers and one of certificates, from the first look on.
	s.atMost("a restart: reads of load balancers and certificates", got.balancers+got.certificates, got.each(listAge)*((services+1+49)/50+1), got)
}

// TestCallsOfNewNodes is what Nodes cost that join load balancers.
func TestCallsOfNewNodes(t *testing.T) {
	const before = 5
	services, joining := 6, 3
	if *full {
		services, joining = 50, 10
	}
	s := calls(t)
	s.join(before, testcloud.Machine.Settled)
	s.start(nil)
	var names []string
	for n := range services {
		names = append(names, fmt.Sprintf("web-%d", n))
		s.service(names[n], 80)
	}
	s.serve(names...)
	s.targets(services, before)
	for _, name := range names {
		s.told(name, "EnsuredLoadBalancer", 1)
	}
	s.look()
	s.join(joining, testcloud.Machine.Settled)
	s.targets(services, before+joining)
	for _, name := range names {
		s.told(name, "UpdatedLoadBalancer", 1)
	}
	got := s.look()
	s.atMost(fmt.Sprintf("%d nodes join %d load balancers: writes", joining, services), got.writes, joining*services, got)
	// All load balancers share a list before and one after that, each with the certificates. Up to two are read by themselves each time, until a third
	// one makes it a list; on a machine so slow that the looks come far apart this happens once more for each 2 s.
	const list, alone = 2, 2 * 2
	slower := max(0, got.took-2*time.Duration(joining)*takes)
	s.atMost("… reads of load balancers and certificates", got.balancers+got.certificates, 2*(alone+list)+alone*int(slower/listAge), got)
	// Each target locks its load balancer, so that they are added in turns. All actions that run are asked for together.
	s.atMost("… polls", got.polls, got.each(takes), got)
}

// TestCallsOfDeletions is what Services cost that are deleted together, some of them with a managed certificate. All share
// what is read: lists before, polls, and lists afterwards, which show what is left.
func TestCallsOfDeletions(t *testing.T) {
	services, certified := 12, 4
	if *full {
		services, certified = 50, 10
	}
	s := calls(t)
	s.join(3, testcloud.Machine.Settled)
	s.start(nil)
	var names []string
	for n := range services {
		names = append(names, fmt.Sprintf("web-%d", n))
		annotations := map[string]string{}
		if n < certified {
			const prefix = "load-balancer.hetzner.cloud/"
			annotations = map[string]string{
				prefix + "protocol": "https", prefix + "certificate-type": "managed", prefix + "http-managed-certificate-domains": names[n] + ".example.com",
			}
		}
		s.annotated(names[n], annotations, 443)
	}
	s.serve(names...)
	s.targets(services, 3)
	for _, name := range names {
		s.told(name, "EnsuredLoadBalancer", 1)
	}
	if n := len(s.hetzner.State().Certificates); n != certified {
		t.Fatalf("%d certificates, want %d", n, certified)
	}
	s.look()
	s.remove(names...)
	got := s.look()
	s.atMost(fmt.Sprintf("%d Services are deleted: writes", services), got.writes, services+certified, got)
	s.atMost("… reads", got.total-got.writes-got.servers, max(30, 3*got.each(listAge)), got)
}

// remove deletes Services, and waits until nothing is left of them, in the cluster and in the cloud.
func (s *site) remove(names ...string) {
	s.Helper()
	for _, name := range names {
		s.must(s.Client().CoreV1().Services(namespace).Delete(s.within(), name, metav1.DeleteOptions{}))
	}
	for _, name := range names {
		s.left(name)
	}
	if state := s.hetzner.State(); len(state.Balancers)+len(state.Certificates) > 0 {
		s.Errorf("left: %d load balancers, %d certificates", len(state.Balancers), len(state.Certificates))
	}
}

// left waits until a Service is gone.
func (s *site) left(name string) {
	s.Helper()
	_, err := s.WaitService(s.within(), namespace, name, func(svc *corev1.Service) error {
		if svc != nil {
			return errors.New("it is still there")
		}
		return nil
	})
	s.must(err)
}

// seen is what was asked of the cloud since the last look.
type seen struct {
	total, writes, servers, balancers, certificates, polls int
	routes                                                 map[string]int
	// took is how long the requests were counted.
	took time.Duration
}

// each is how often something happens that comes at most once in a period.
func (s seen) each(period time.Duration) int { return 1 + int(s.took/period) }

// look returns what was asked, and forgets it. No request may have been one too many.
func (s *site) look() seen {
	s.Helper()
	counters := s.Cloud.Counters()
	s.Cloud.ResetTraffic()
	all := seen{total: counters.Total, writes: counters.Mutating, routes: map[string]int{}, took: time.Since(s.looked)}
	s.looked = time.Now()
	for route, c := range counters.Routes {
		all.routes[route] = c.Requests
		if c.Status["429"] > 0 {
			s.Errorf("%s: %d answers 429", route, c.Status["429"])
		}
		switch {
		case strings.HasPrefix(route, "GET /v1/servers"):
			all.servers += c.Requests
		case strings.HasPrefix(route, "GET /v1/actions"):
			all.polls += c.Requests
		case strings.HasPrefix(route, "GET /v1/certificates"):
			all.certificates += c.Requests
		case strings.HasPrefix(route, "GET /v1/load_balancers"):
			all.balancers += c.Requests
		}
	}
	return all
}

// atMost checks a figure, and says it.
func (s *site) atMost(what string, got, want int, of seen) {
	s.Helper()
	s.Logf("%-45s %4d, at most %4d, in %v", what, got, want, of.took.Round(10*time.Millisecond))
	if got > want {
		s.Errorf("%s: %d requests, want at most %d: %v", what, got, want, of.routes)
	}
}

// join makes machines and their Nodes, Ready.
func (s *site) join(n int, node func(testcloud.Machine) controlplane.NodeOptions) []testcloud.Machine {
	s.Helper()
	machines, err := s.Cloud.Seed(s.within(), n, testcloud.Machine{})
	s.must(err)
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		one := node(m)
		one.Ready = true
		nodes = append(nodes, one)
	}
	s.must(s.JoinNodes(s.within(), nodes))
	return machines
}

// initialise waits until n Nodes are initialised.
func (s *site) initialise(n int) {
	s.Helper()
	s.eventually(func() error {
		nodes, err := s.Client().CoreV1().Nodes().List(s.within(), metav1.ListOptions{})
		s.must(err)
		for i := range nodes.Items {
			if err := initialised(&nodes.Items[i]); err != nil {
				return err
			}
		}
		if len(nodes.Items) != n {
			return fmt.Errorf("%d nodes, want %d", len(nodes.Items), n)
		}
		return nil
	})
}

// serve waits until Services have addresses, and says how long after the cloud the last one had its.
func (s *site) serve(names ...string) {
	s.Helper()
	for _, name := range names {
		s.addressed(name)
	}
	served := time.Now()
	var ended time.Time
	for _, r := range s.Cloud.Requests() {
		if r.Method == "POST" {
			ended = r.Start.Add(r.Took + takes)
		}
	}
	s.Logf("the last of %d addresses came %v after the end of the last action", len(names), served.Sub(ended).Round(10*time.Millisecond))
}

// targets waits until there are so many load balancers, each with so many targets.
func (s *site) targets(balancers, each int) {
	s.Helper()
	s.eventually(func() error {
		all, err := s.Cloud.Balancers(s.within())
		s.must(err)
		if len(all) != balancers {
			return fmt.Errorf("%d load balancers, want %d", len(all), balancers)
		}
		for _, b := range all {
			if len(b.Targets) != each || !b.Active {
				return fmt.Errorf("%s has %d targets, want %d; serves: %t", b.Name, len(b.Targets), each, b.Active)
			}
		}
		return nil
	})
}

// told waits until the process has written so many events of that reason on a Service.
func (s *site) told(name, reason string, n int) {
	s.Helper()
	event := fmt.Sprintf("object=%q fieldPath=\"\" kind=\"Service\" apiVersion=\"v1\" type=\"Normal\" reason=%q", namespace+"/"+name, reason)
	s.eventually(func() error {
		if got := strings.Count(s.process.Log(), event); got < n {
			return fmt.Errorf("%d events %s on %s, want %d", got, reason, name, n)
		}
		return nil
	})
}

func (s *site) annotate(name, key, value string) {
	s.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, key, value)
	_, err := s.Client().CoreV1().Services(namespace).Patch(s.within(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	s.must(err)
}
