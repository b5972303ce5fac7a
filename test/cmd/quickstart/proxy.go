package main

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// proxy answers on the machines as kube-proxy and a pod behind it would: on every node
// port of every Service, and on the health port that balancers probe.
type proxy struct {
	mu      sync.Mutex
	nodes   map[string]string                  // addresses by name, of machines that run
	servers map[string]map[string]*http.Server // by node, then by address and port
}

func newProxy(machines []machine) *proxy {
	p := &proxy{nodes: map[string]string{}, servers: map[string]map[string]*http.Server{}}
	var taken []string
	for _, m := range machines {
		// Where machines share an address, the first one answers for all.
		if address := m.addresses[0]; !slices.Contains(taken, address) {
			taken = append(taken, address)
			p.nodes[m.name], p.servers[m.name] = address, map[string]*http.Server{}
		}
	}
	p.serve(kubeProxyPort, "is healthy")
	return p
}

// follow opens the node ports of a Service. They stay open when the Service goes: nothing
// connects to them any more.
func (p *proxy) follow(service *corev1.Service) {
	for _, port := range service.Spec.Ports {
		if port.NodePort != 0 && port.Protocol == corev1.ProtocolTCP {
			p.serve(int(port.NodePort), "answers for Service "+service.Name)
		}
	}
}

// serve lets every machine that runs say something on a port. A port that is taken stays
// silent; the balancer's health check tells.
func (p *proxy) serve(port int, says string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for node, address := range p.nodes {
		at := net.JoinHostPort(address, strconv.Itoa(port))
		if p.servers[node][at] != nil {
			continue
		}
		listener, err := net.Listen("tcp", at)
		if err != nil {
			continue
		}
		server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "%s %s\n", node, says) })}
		p.servers[node][at] = server
		go func() { _ = server.Serve(listener) }() // ends with http.ErrServerClosed
	}
}

// halt silences a machine.
func (p *proxy) halt(node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, server := range p.servers[node] {
		_ = server.Close()
	}
	delete(p.nodes, node)
	delete(p.servers, node)
}

func (p *proxy) close() {
	for _, node := range nodeNames {
		p.halt(node)
	}
}
