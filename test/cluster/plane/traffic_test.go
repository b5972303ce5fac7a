package plane_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// network are four namespaces: two nodes and a client around one that routes.
type network struct {
	t      *testing.T
	hub    *process.Process
	client *process.Process
	plane  *plane.Plane
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	if os.Getenv("E2E_NODE") == "" {
		t.Skip("it needs root; `make e2e-node` runs it")
	}
	n := &network{t: t}
	n.hub, n.client = n.space("hub", "sleep", "3600"), n.space("client", "sleep", "3600")
	n.in(n.hub, "ip", "link", "add", "bridge", "type", "bridge")
	n.in(n.hub, "ip", "addr", "add", "10.0.0.2/24", "dev", "bridge")
	n.in(n.hub, "ip", "link", "set", "bridge", "up")
	n.connect(n.client, "client", "198.18.0.1/24", "198.18.0.2")
	n.in(n.hub, "ip", "addr", "add", "198.18.0.2/24", "dev", "client")
	for i, address := range nodes {
		name := fmt.Sprintf("node-%d", i+1)
		node := n.space(name, "sleep", "3600")
		n.connect(node, fmt.Sprintf("node%d", i+1), address.String()+"/24", "10.0.0.2")
		n.in(n.hub, "ip", "link", "set", fmt.Sprintf("node%d", i+1), "master", "bridge")
		// What is passed through has the address of the load balancer.
		n.in(node, "ip", "addr", "add", balancer.String()+"/32", "dev", "lo")
		n.serve(name, node)
	}
	var err error
	n.plane, err = plane.Open(t.Context(), plane.Options{
		Run: n.run, Device: "bridge", Nodes: nodes, Network: netip.MustParsePrefix("10.0.0.0/24"), Machine: netip.MustParseAddr("10.0.0.1"),
		Balancers: netip.MustParsePrefix("198.19.0.0/24"), Clients: netip.MustParsePrefix("198.18.0.0/24"),
	})
	n.must(err)
	return n
}

// space starts a program in a network namespace of its own.
func (n *network) space(name, program string, args ...string) *process.Process {
	n.t.Helper()
	path, err := exec.LookPath(program)
	n.must(err)
	p, err := process.Start(process.Spec{Name: name, Dir: n.t.TempDir(), Path: path, Args: args, Namespaces: process.Network})
	n.must(err)
	n.t.Cleanup(func() {
		if n.t.Failed() {
			n.t.Logf("%s: %s", name, p.Tail())
		}
		p.Kill()
	})
	n.in(p, "ip", "link", "set", "lo", "up")
	return p
}

// serve starts the server of a node, which has all its addresses.
func (n *network) serve(name string, node *process.Process) {
	n.t.Helper()
	nsenter, err := exec.LookPath("nsenter")
	n.must(err)
	args := []string{"-n", "-t", strconv.Itoa(node.PID()), "--", "env", role + "=serve", "NODE=" + name, os.Args[0]}
	server, err := process.Start(process.Spec{Name: "server", Dir: n.t.TempDir(), Path: nsenter, Args: args})
	n.must(err)
	n.t.Cleanup(server.Kill)
	n.must(controlplane.Eventually(n.t.Context(), func(context.Context) error {
		if log := server.Tail(); !strings.Contains(log, serving) {
			return fmt.Errorf("the server of %s says %q", name, log)
		}
		return nil
	}))
}

// connect makes a link from the hub.
func (n *network) connect(to *process.Process, link, address, gateway string) {
	n.t.Helper()
	n.in(n.hub, "ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(to.PID()))
	n.in(n.hub, "ip", "link", "set", link, "up")
	n.in(to, "ip", "addr", "add", address, "dev", "eth0")
	n.in(to, "ip", "link", "set", "eth0", "up")
	n.in(to, "ip", "route", "add", "default", "via", gateway)
}

func (n *network) in(p *process.Process, args ...string) string {
	n.t.Helper()
	out, err := enter(n.t.Context(), p, nil, args...)
	n.must(err)
	return out
}

func (n *network) run(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	return enter(ctx, n.hub, stdin, args...)
}

func enter(ctx context.Context, p *process.Process, stdin io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "nsenter", append([]string{"-n", "-t", strconv.Itoa(p.PID()), "--"}, args...)...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &problem
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%v: %w: %s", args, err, &problem)
	}
	return out.String(), nil
}

func (n *network) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// ask returns what the client hears at a port of the load balancer, one answer for each connection.
func (n *network) ask(protocol string, port, times int) (answers []string) {
	n.t.Helper()
	out := n.in(n.client, "env", role+"=ask", os.Args[0], protocol, netip.AddrPortFrom(balancer, uint16(port)).String(), strconv.Itoa(times))
	n.must(json.Unmarshal([]byte(out), &answers))
	return answers
}

func (n *network) set(listeners ...plane.Listener) {
	n.t.Helper()
	n.must(n.plane.Set(n.t.Context(), listeners))
}

// answers counts.
func answers(list []string) map[string]int {
	count := map[string]int{}
	for _, a := range list {
		count[a]++
	}
	return count
}

func targets(healthy ...bool) (list []plane.Target) {
	for i, h := range healthy {
		list = append(list, plane.Target{Address: nodes[i], Healthy: h})
	}
	return list
}

// Each case is one load balancer, and what connections of a client hear.
func TestTraffic(t *testing.T) {
	n := newNetwork(t)
	with := func(change func(*plane.Listener)) plane.Listener {
		l := plane.Listener{Address: balancer, Protocol: "tcp", Port: 80, NodePort: nodePort, Targets: targets(true, true)}
		change(&l)
		return l
	}
	udp := func(l *plane.Listener) { l.Protocol = "udp" }
	const client, hidden, silence = " 198.18.0.1", " 10.0.0.2", 1 // who hears nothing waits
	inTurn := map[string]int{"node-1" + client: 3, "node-2" + client: 3}
	for _, test := range []struct {
		name     string
		listener plane.Listener
		ask      int // the port
		times    int
		// want are the answers, each so often. one means that all are the same and end with this.
		want map[string]int
		one  string
	}{
		{"in turn", with(func(*plane.Listener) {}), 80, 6, inTurn, ""},
		{"UDP", with(udp), 80, 6, inTurn, ""},
		{"one is unhealthy", with(func(l *plane.Listener) { l.Targets = targets(false, true) }), 80, 6, map[string]int{"node-2" + client: 6}, ""},
		{"affinity", with(func(l *plane.Listener) { l.Affinity = true }), 80, 6, nil, client},
		{"the client is hidden", with(func(l *plane.Listener) { l.HidesClient = true }), 80, 6, map[string]int{"node-1" + hidden: 3, "node-2" + hidden: 3}, ""},
		{"passed through", with(func(l *plane.Listener) { l.Port, l.NodePort = 82, 0 }), 82, 6, inTurn, ""},
		{"passed through, affinity", with(func(l *plane.Listener) { l.Port, l.NodePort, l.Affinity = 82, 0, true }), 82, 6, nil, client},
		{"the client may get in", with(func(l *plane.Listener) { l.Sources = []netip.Prefix{netip.MustParsePrefix("198.18.0.0/30")} }), 80, 6, inTurn, ""},
		{"it may not", with(func(l *plane.Listener) { l.Sources = []netip.Prefix{netip.MustParsePrefix("198.18.0.8/30")} }), 80, silence, nil, "i/o timeout"},
		{"nobody listens", with(func(l *plane.Listener) { l.Port = 81 }), 80, 6, nil, "connection refused"},
		{"nobody listens, UDP", with(udp), 81, 6, nil, "connection refused"},
		{"no target", with(func(l *plane.Listener) { l.Targets = nil }), 80, 6, nil, "connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n.set(test.listener)
			got := answers(n.ask(test.listener.Protocol, test.ask, test.times))
			if test.one != "" && !same(got, test.one) || test.one == "" && !maps.Equal(got, test.want) {
				t.Errorf("answers: %v, want %v%s; table:\n%s", got, test.want, test.one, n.in(n.hub, "nft", "list", "ruleset"))
			}
		})
	}
}

// same reports whether all answers are of one node, or none is, and end with that.
func same(got map[string]int, end string) bool {
	from := map[string]bool{}
	for answer := range got {
		if !strings.HasSuffix(answer, end) {
			return false
		}
		node, _, _ := strings.Cut(answer, " ")
		from[node] = true
	}
	return len(from) == 1
}

// A flow stays with an unhealthy target, and for the draining time with one that was removed.
func TestDrain(t *testing.T) {
	n := newNetwork(t)
	for name, udp := range map[string]plane.Listener{
		"node port":      {Address: balancer, Protocol: "udp", Port: 80, NodePort: nodePort},
		"passed through": {Address: balancer, Protocol: "udp", Port: 82},
	} {
		t.Run(name, func(t *testing.T) { drain(t, n, udp) })
	}
}

func drain(t *testing.T, n *network, udp plane.Listener) {
	from := "198.18.0.1:4000" // the same client port: one flow
	say := func() string {
		out := n.in(n.client, "env", role+"=ask", os.Args[0], "udp!"+from, netip.AddrPortFrom(balancer, uint16(udp.Port)).String(), "1")
		var list []string
		n.must(json.Unmarshal([]byte(out), &list))
		return list[0]
	}
	steps := []struct {
		name    string
		targets []plane.Target
		drain   time.Duration
		want    string
	}{
		{"a new flow", targets(true, false), time.Hour, "node-1"},
		{"its target is unhealthy", targets(false, true), time.Hour, "node-1"},
		{"it is removed, and drains", slices.Delete(targets(false, true), 0, 1), time.Hour, "node-1"},
		{"it is back", targets(false, true), 0, "node-1"},
		{"it is removed, and nothing drains", slices.Delete(targets(false, true), 0, 1), 0, "node-2"},
	}
	for _, step := range steps {
		udp.Targets, udp.Drain = step.targets, step.drain
		n.set(udp)
		if got := say(); got != step.want+" 198.18.0.1" {
			t.Errorf("%s: %s answers, want %s", step.name, got, step.want)
		}
	}
}
