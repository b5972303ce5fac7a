package world_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// patience bounds what should take milliseconds.
const patience = 10 * time.Second

// backend is a TCP server on one loopback address; it answers each line with its name.
type backend struct {
	name     string
	listener net.Listener
}

// newBackends starts one backend per address, all on the same port, as node ports are.
func newBackends(t *testing.T, addresses ...string) (port int, backends []*backend) {
	t.Helper()
	for _, address := range addresses {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
		if err != nil {
			t.Skipf("this system has no %s: %v", address, err)
		}
		port = listener.Addr().(*net.TCPAddr).Port
		b := &backend{address, listener}
		t.Cleanup(func() { _ = listener.Close() })
		backends = append(backends, b)
		go b.serve()
	}
	return port, backends
}

func (b *backend) serve() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			lines := bufio.NewScanner(conn)
			for lines.Scan() {
				_, _ = io.WriteString(conn, b.name+" "+lines.Text()+"\n")
			}
			_, _ = io.WriteString(conn, b.name+" bye\n")
		}()
	}
}

// balanced starts a forwarding world with one balancer in front of the backends, edited.
func balanced(t *testing.T, port int, backends []*backend, edit func(*api.BalancerSpec)) *world.World {
	t.Helper()
	w := newWorld(t, world.Options{Forward: true}, 0)
	spec := api.BalancerSpec{
		Name: "web", Listeners: []api.Listener{{Protocol: "tcp", Port: freePort(t), NodePort: port}},
		HealthCheck: api.HealthCheck{Protocol: "tcp", Port: port, IntervalSeconds: 300, HealthyThreshold: 1, UnhealthyThreshold: 1},
	}
	for _, b := range backends {
		m, err := w.AddMachine(api.Machine{Name: b.name, Addresses: []api.Address{{Kind: api.AddressPrivate, IP: b.name}}})
		if err != nil {
			t.Fatal(err)
		}
		spec.Targets = append(spec.Targets, m.ID)
	}
	if edit != nil {
		edit(&spec)
	}
	body, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if answer := call(w, "POST", "/v1/balancers", string(body)); answer.Code != http.StatusCreated {
		t.Fatalf("creating: %d %s", answer.Code, answer.Body)
	}
	return w
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// settled waits until the health of all targets is as wanted, with probes on demand.
func settled(t *testing.T, w *world.World, want ...string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		b := w.Balancers()[0]
		var got []string
		for _, id := range b.Targets {
			got = append(got, b.TargetHealth[id])
		}
		if slices.Equal(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("target health = %v, want %v", got, want)
		}
		_ = w.EditBalancer(b.ID, func(*api.Balancer) {}) // probes at once
	}
}

// dial connects to the only door of the only balancer.
func dial(t *testing.T, w *world.World) net.Conn {
	t.Helper()
	for _, door := range w.Balancers()[0].Doors {
		conn, err := net.DialTimeout("tcp", door, patience)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(patience))
		return conn
	}
	t.Fatal("the balancer has no door")
	return nil
}

// ask sends a line and returns the answer, "" when the connection is closed.
func ask(conn net.Conn, line string) string {
	_, _ = io.WriteString(conn, line+"\n")
	answer, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSuffix(answer, "\n")
}

func TestForwardCarriesBytes(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2")
	w := balanced(t, port, backends, nil)
	if b := w.Balancers()[0]; !strings.HasPrefix(b.Addresses[0], "127.77.") {
		t.Errorf("address = %v, want one of its own in 127.77.0.0/16", b.Addresses)
	}
	conn := dial(t, w)
	_, _ = io.WriteString(conn, "one\ntwo\n"+strings.Repeat("x", 50_000)+"\n")
	_ = conn.(*net.TCPConn).CloseWrite() // the answer to the end of input still comes back
	got, err := io.ReadAll(conn)
	want := "127.0.0.2 one\n127.0.0.2 two\n127.0.0.2 " + strings.Repeat("x", 50_000) + "\n127.0.0.2 bye\n"
	if err != nil || string(got) != want {
		t.Errorf("read %d bytes, %v; want %d: %.60q", len(got), err, len(want), got)
	}
}

func TestForwardRoundRobin(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2", "127.0.0.3")
	w := balanced(t, port, backends, nil)
	settled(t, w, api.HealthHealthy, api.HealthHealthy)
	got := map[string]int{}
	for range 6 {
		got[ask(dial(t, w), "hello")]++
	}
	if got["127.0.0.2 hello"] != 3 || got["127.0.0.3 hello"] != 3 {
		t.Errorf("answers = %v, want three of each", got)
	}
}

func TestForwardAvoidsDeadTargets(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2", "127.0.0.3")
	w := balanced(t, port, backends, nil)
	settled(t, w, api.HealthHealthy, api.HealthHealthy)
	_ = backends[0].listener.Close()
	for range 4 { // before any probe: the next target is tried
		if got := ask(dial(t, w), "hello"); got != "127.0.0.3 hello" {
			t.Errorf("answer = %q", got)
		}
	}
	settled(t, w, api.HealthUnhealthy, api.HealthHealthy)
	_ = backends[1].listener.Close()
	settled(t, w, api.HealthUnhealthy, api.HealthUnhealthy)
	if got := ask(dial(t, w), "hello"); got != "" {
		t.Errorf("answer = %q although all targets are dead", got)
	}
}

func TestForwardProbesHTTP(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2")
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		current := <-code
		code <- current
		if r.URL.Path != "/healthz" {
			current = http.StatusNotFound
		}
		rw.WriteHeader(current)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	code <- http.StatusOK
	w := balanced(t, port, backends, func(spec *api.BalancerSpec) {
		spec.HealthCheck.Protocol, spec.HealthCheck.Path = "http", "/healthz"
		spec.HealthCheck.Port = listener.Addr().(*net.TCPAddr).Port
	})
	settled(t, w, api.HealthHealthy)
	<-code
	code <- http.StatusServiceUnavailable
	settled(t, w, api.HealthUnhealthy)
}

func TestForwardChangesGracefully(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2", "127.0.0.3")
	w := balanced(t, port, backends[:1], nil)
	old := dial(t, w)
	if got := ask(old, "before"); got != "127.0.0.2 before" {
		t.Fatalf("answer = %q", got)
	}
	m, err := w.AddMachine(api.Machine{Name: "new", Addresses: []api.Address{{Kind: api.AddressPrivate, IP: "127.0.0.3"}}})
	if err != nil {
		t.Fatal(err)
	}
	other := freePort(t)
	if err := w.EditBalancer("lb-1", func(b *api.Balancer) {
		b.Targets = []string{m.ID}
		b.Listeners = []api.Listener{{Protocol: "tcp", Port: other, NodePort: port}}
	}); err != nil {
		t.Fatal(err)
	}
	if got := ask(old, "after"); got != "127.0.0.2 after" {
		t.Errorf("the connection from before the change answers %q", got)
	}
	if got := ask(dial(t, w), "new"); got != "127.0.0.3 new" {
		t.Errorf("a new connection answers %q", got)
	}
	if got := len(w.Balancers()[0].Doors); got != 1 {
		t.Errorf("%d doors, want 1: the former port is closed", got)
	}
	call(w, "DELETE", "/v1/balancers/lb-1", "")
	if got := ask(old, "gone"); got != "" {
		t.Errorf("the connection outlived its balancer: %q", got)
	}
}

func TestForwardChecksSources(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2")
	for source, want := range map[string]string{"127.0.0.0/8": "127.0.0.2 hello", "203.0.113.0/24": ""} {
		w := balanced(t, port, backends, func(spec *api.BalancerSpec) { spec.AllowedSources = []string{source} })
		if got := ask(dial(t, w), "hello"); got != want {
			t.Errorf("allowed %s: answer %q, want %q", source, got, want)
		}
	}
}

func TestForwardProxyProtocol(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2")
	w := balanced(t, port, backends, func(spec *api.BalancerSpec) { spec.ProxyProtocol = true })
	conn := dial(t, w)
	from, to := conn.LocalAddr().(*net.TCPAddr), conn.RemoteAddr().(*net.TCPAddr)
	want := "127.0.0.2 PROXY TCP4 " + from.IP.String() + " " + to.IP.String() + " " + strconv.Itoa(from.Port) + " " + strconv.Itoa(to.Port)
	if got := strings.TrimSuffix(ask(conn, "hello"), "\r"); got != want {
		t.Errorf("the target saw %q, want %q", got, want)
	}
}

func TestForwardFallsBackToFreePort(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2")
	taken, err := net.Listen("tcp", "127.77.0.1:0") // the first balancer's address
	if err != nil {
		t.Skip(err)
	}
	defer taken.Close()
	w := balanced(t, port, backends, func(spec *api.BalancerSpec) {
		spec.Listeners[0].Port = taken.Addr().(*net.TCPAddr).Port
	})
	if got := ask(dial(t, w), "hello"); got != "127.0.0.2 hello" {
		t.Errorf("answer = %q", got)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	port, backends := newBackends(t, "127.0.0.2")
	w := balanced(t, port, backends, nil)
	conn := dial(t, w)
	ask(conn, "hello")
	server, err := w.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	_ = conn.Close()
	_ = backends[0].listener.Close()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// With affinity, all connections of a client are at one target.
func TestForwardKeepsClient(t *testing.T) {
	port, backends := newBackends(t, "127.0.0.2", "127.0.0.3", "127.0.0.4")
	w := balanced(t, port, backends, func(spec *api.BalancerSpec) { spec.Algorithm = api.SourceAddress })
	settled(t, w, api.HealthHealthy, api.HealthHealthy, api.HealthHealthy)
	seen := map[string]bool{}
	for range 12 {
		seen[ask(dial(t, w), "hello")] = true
	}
	if len(seen) != 1 {
		t.Errorf("the client was at %v, want one target", seen)
	}
}

// Where somebody else carries the traffic, a balancer has an address of that network, opens nothing and probes its targets.
func TestCarriedByOthers(t *testing.T) {
	port, _ := newBackends(t, "127.0.0.2")
	w := newWorld(t, world.Options{Carried: netip.MustParseAddr("198.19.7.0")}, 0)
	for _, ip := range []string{"127.0.0.2", "127.0.0.3"} {
		if _, err := w.AddMachine(api.Machine{Name: ip, Addresses: []api.Address{{Kind: api.AddressPrivate, IP: ip}}}); err != nil {
			t.Fatal(err)
		}
	}
	body := replace(`"protocol":"http","port":10256,"path":"/healthz"`, fmt.Sprintf(`"protocol":"tcp","port":%d`, port))
	body = strings.Replace(body, `"targets":["m-1"]`, `"targets":["m-1","m-2"]`, 1)
	if answer := call(w, "POST", "/v1/balancers", body); answer.Code != http.StatusCreated {
		t.Fatalf("creating: %d %s", answer.Code, answer.Body)
	}
	settled(t, w, api.HealthHealthy, api.HealthUnhealthy)
	if b := w.Balancers()[0]; !slices.Equal(b.Addresses, []string{"198.19.7.1"}) || len(b.Doors) > 0 {
		t.Errorf("addresses %v, doors %v, want 198.19.7.1 and no door", b.Addresses, b.Doors)
	}
}

// Packets that are passed through as they are need no node port. A proxy can't do that.
func TestNodePortNone(t *testing.T) {
	for name, test := range map[string]struct {
		options world.Options
		want    int
	}{
		"nothing carries":  {world.Options{}, http.StatusCreated},
		"others carry":     {world.Options{Carried: netip.MustParseAddr("198.19.7.0")}, http.StatusCreated},
		"proxies carry it": {world.Options{Forward: true}, http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			answer := call(newWorld(t, test.options, 1), "POST", "/v1/balancers", replace(`"node_port":30080`, `"node_port":0`))
			if answer.Code != test.want || test.want != http.StatusCreated && !strings.Contains(answer.Body.String(), "node_port is 0") {
				t.Errorf("%d %s, want %d", answer.Code, answer.Body, test.want)
			}
		})
	}
}
