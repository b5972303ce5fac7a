// Package proxy carries the TCP traffic of load balancers, and probes their targets.
package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// dialTimeout bounds a connection to a target.
const dialTimeout = 3 * time.Second

// Proxy carries the TCP traffic of one balancer. Changes are graceful: connections
// through a closed listener or to a removed target live until they end by themselves.
// A nil Proxy carries nothing.
type Proxy struct {
	address string
	pool    pool
	// start runs a task until close, which ends the task's context and waits for it.
	start   func(task func(context.Context))
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	spec   api.BalancerSpec
	doors  map[string]net.Listener // by listener key
	nudge  chan struct{}           // probe again now
	closed bool
}

// New starts probing for a balancer at a loopback address. Without an address it only probes.
func New(address string) *Proxy {
	f := &Proxy{address: address, doors: map[string]net.Listener{}, nudge: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	f.start = func(task func(context.Context)) { f.running.Go(func() { task(ctx) }) }
	f.start(f.probeForever)
	return f
}

// Apply opens and closes listeners and replaces the targets; backends are addresses by
// machine id.
func (f *Proxy) Apply(spec api.BalancerSpec, backends map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.spec = spec
	f.pool.set(backends, spec.Algorithm == "least_connections")
	wanted := map[string]bool{}
	for _, l := range spec.Listeners {
		if l.Protocol != "tcp" || f.address == "" {
			continue
		}
		wanted[l.Key()] = true
		if f.doors[l.Key()] == nil {
			f.open(l)
		}
	}
	for key, door := range f.doors {
		if !wanted[key] {
			_ = door.Close()
			delete(f.doors, key)
		}
	}
	select {
	case f.nudge <- struct{}{}:
	default:
	}
}

// open listens at the balancer's own address, or where that isn't possible (no 127/8, a
// privileged or taken port) at the next best one; Balancer.Doors says which.
func (f *Proxy) open(l api.Listener) {
	for _, addr := range []string{
		net.JoinHostPort(f.address, strconv.Itoa(l.Port)), net.JoinHostPort(f.address, "0"), "127.0.0.1:0",
	} {
		door, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		f.doors[l.Key()] = door
		f.start(func(context.Context) { f.accept(door, l.Key()) })
		return
	}
}

func (f *Proxy) accept(door net.Listener, key string) {
	for {
		client, err := door.Accept()
		if err != nil {
			return
		}
		f.start(func(ctx context.Context) { f.carry(ctx, client, key) })
	}
}

// carry connects one client with a target.
func (f *Proxy) carry(ctx context.Context, client net.Conn, key string) {
	defer client.Close()
	defer context.AfterFunc(ctx, func() { _ = client.Close() })()
	spec, nodePort := f.rule(key)
	if !allowed(spec.AllowedSources, client.RemoteAddr()) {
		return
	}
	target, server := f.dial(ctx, nodePort, affinity(spec, client))
	if server == nil {
		return
	}
	defer f.pool.release(target)
	defer server.Close()
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if spec.ProxyProtocol {
		if _, err := io.WriteString(server, proxyHeader(client)); err != nil {
			return
		}
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		pipe(client, server)
	}()
	pipe(server, client)
	<-back
}

// rule returns what holds for a listener now.
func (f *Proxy) rule(key string) (spec api.BalancerSpec, nodePort int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.spec.Listeners {
		if l.Key() == key {
			nodePort = l.NodePort
		}
	}
	return f.spec, nodePort
}

// affinity returns what chooses the target of a client, "" where all take turns.
func affinity(spec api.BalancerSpec, client net.Conn) string {
	if spec.Algorithm != api.SourceAddress {
		return ""
	}
	host, _, _ := net.SplitHostPort(client.RemoteAddr().String())
	return host
}

// dial connects to the first target, in the pool's order, that takes the connection. With an affinity, the same targets are tried first
// for the same client.
func (f *Proxy) dial(ctx context.Context, nodePort int, affinity string) (id string, server net.Conn) {
	dialer := net.Dialer{Timeout: dialTimeout}
	tried := map[string]bool{}
	for {
		id, address := f.pool.pick(tried, affinity)
		if id == "" {
			return "", nil
		}
		server, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(nodePort)))
		if err == nil {
			return id, server
		}
		f.pool.release(id)
		tried[id] = true
	}
}

// pipe copies until the source ends and tells the destination so.
func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
}

func allowed(sources []string, client net.Addr) bool {
	if len(sources) == 0 {
		return true
	}
	from, err := netip.ParseAddrPort(client.String())
	if err != nil {
		return false
	}
	for _, source := range sources {
		if prefix, err := netip.ParsePrefix(source); err == nil && prefix.Contains(from.Addr()) {
			return true
		}
	}
	return false
}

// proxyHeader is the PROXY protocol's header, version 1.
func proxyHeader(client net.Conn) string {
	from := client.RemoteAddr().(*net.TCPAddr).AddrPort()
	to := client.LocalAddr().(*net.TCPAddr).AddrPort()
	return fmt.Sprintf("PROXY TCP4 %s %s %d %d\r\n", from.Addr(), to.Addr(), from.Port(), to.Port())
}

// Report adds to a shown balancer what only the proxy knows.
func (f *Proxy) Report(b *api.Balancer) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b.Doors = map[string]string{}
	for key, door := range f.doors {
		b.Doors[key] = door.Addr().String()
	}
	f.pool.report(b.TargetHealth)
}

// Close cuts all connections and waits until nothing runs any more.
func (f *Proxy) Close() {
	if f == nil {
		return
	}
	f.mu.Lock()
	f.closed = true
	for key, door := range f.doors {
		_ = door.Close()
		delete(f.doors, key)
	}
	f.mu.Unlock()
	f.cancel()
	f.running.Wait()
}
