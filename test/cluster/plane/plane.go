package plane

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say where a data plane is.
type Options struct {
	// Run runs a program in the network namespace that routes, and returns its standard output.
	Run func(ctx context.Context, stdin io.Reader, args ...string) (string, error)
	// Device is that namespace's device in the network of the nodes.
	Device string
	// Nodes are the addresses of the nodes, whose last byte is not 0. Network is theirs.
	Nodes   []netip.Addr
	Network netip.Prefix
	// Machine is the address where the API server is.
	Machine netip.Addr
	// Balancers is the network of the addresses of load balancers, Clients that of clients.
	Balancers, Clients netip.Prefix
}

// Plane carries the traffic of the listeners that it was last told. It is safe for concurrent use.
type Plane struct {
	o Options

	mu   sync.Mutex
	text string // the table as it is
	was  []Listener
	// draining are the flows of targets that were removed, and when they end.
	draining map[flow]time.Time
}

// flow is all flows of a listener to a target.
type flow struct {
	listener netip.AddrPort
	protocol string
	target   netip.Addr
	// passed says that packets are passed through as they are: their flow has the mark of the target.
	passed bool
}

// selection are the arguments with which conntrack finds them.
func (f flow) selection() []string {
	args := []string{"-p", f.protocol, "--orig-dst", f.listener.Addr().String(), "--orig-port-dst", strconv.Itoa(int(f.listener.Port()))}
	if f.passed {
		return append(args, "--mark", strconv.Itoa(mark(f.target)))
	}
	return append(args, "--reply-src", f.target.String())
}

// Open prepares the namespace for traffic and starts without a listener.
func Open(ctx context.Context, o Options) (*Plane, error) {
	p := &Plane{o: o, draining: map[flow]time.Time{}}
	commands := [][]string{
		{"sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv4.icmp_ratelimit=0", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0",
			"net.ipv4.conf." + o.Device + ".rp_filter=0", "net.ipv4.conf.all.send_redirects=0", "net.ipv4.conf." + o.Device + ".send_redirects=0"},
	}
	for _, node := range o.Nodes {
		mark := strconv.Itoa(mark(node))
		commands = append(commands,
			[]string{"ip", "route", "replace", "default", "via", node.String(), "dev", o.Device, "table", mark},
			[]string{"ip", "rule", "add", "fwmark", mark, "lookup", mark})
	}
	for _, args := range commands {
		if _, err := o.Run(ctx, nil, args...); err != nil {
			return nil, fmt.Errorf("preparing the data plane: %w", err)
		}
	}
	return p, p.Set(ctx, nil)
}

// Set makes the plane carry these listeners and no others. Flows that have begun go on; those to a target that was removed end after the
// listener's draining time.
func (p *Plane) Set(ctx context.Context, listeners []Listener) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	listeners = sorted(listeners)
	text := sketch{nodes: p.o.Network, clients: p.o.Clients, balancers: p.o.Balancers, machine: p.o.Machine}.render(listeners)
	if text != p.text {
		if _, err := p.o.Run(ctx, strings.NewReader(text), "nft", "-f", "-"); err != nil {
			return fmt.Errorf("replacing the rules of the data plane: %w", err)
		}
		p.text = text
	}
	p.drain(listeners)
	return p.flush(ctx)
}

// drain notes down which targets have left since the last time.
func (p *Plane) drain(listeners []Listener) {
	now := flows(listeners)
	for f, drain := range flows(p.was) {
		if _, stays := now[f]; !stays {
			p.draining[f] = time.Now().Add(drain)
		}
	}
	for f := range now {
		delete(p.draining, f)
	}
	p.was = listeners
}

// none reports whether conntrack found no flow, or one that ended at the same moment. Nothing but the text says so.
func none(err error) bool {
	return strings.Contains(err.Error(), "0 flow entries") || strings.Contains(err.Error(), "such conntrack doesn't exist")
}

// flows returns the draining time of each target of each listener.
func flows(listeners []Listener) map[flow]time.Duration {
	all := map[flow]time.Duration{}
	for _, l := range listeners {
		for _, t := range l.Targets {
			all[flow{netip.AddrPortFrom(l.Address, uint16(l.Port)), l.Protocol, t.Address, l.NodePort == 0}] = l.Drain
		}
	}
	return all
}

// flush makes the kernel forget flows whose time is over: the next packet of a client is a new flow, or for TCP nobody's.
func (p *Plane) flush(ctx context.Context) error {
	for f, end := range p.draining {
		if time.Now().Before(end) {
			continue
		}
		_, err := p.o.Run(ctx, nil, append([]string{"conntrack", "-D"}, f.selection()...)...)
		if err != nil && !none(err) {
			return fmt.Errorf("ending the flows to %s: %w", f.target, err)
		}
		delete(p.draining, f)
	}
	return nil
}
