package digitalocean_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// TestUnchanged ensures balancers again where nothing changed: after a restart, after an
// annotation that means nothing, and by the clock. It costs reads only, and no write in
// Kubernetes either.
func TestUnchanged(t *testing.T) {
	ccm := start(t, nil)
	var services []*service
	for _, annotations := range unchanging() {
		services = append(services, create(t, annotations, func(svc *corev1.Service) {
			svc.Spec.Ports = append(svc.Spec.Ports, udp(53))
		}))
	}
	for _, s := range services {
		s.ready()
	}
	since := time.Now()
	env.Cloud.ResetTraffic()
	ccm.restart(nil)
	ccm.awaitEnsured(services, 1)
	expectReads(t, services, 2, "a restart")

	for _, s := range services {
		s.touch()
	}
	ccm.awaitEnsured(services, 2)
	expectReads(t, services, 3, "a restart and an unrelated annotation")

	ccm.restart(nil, "--service-resync-period=1s")
	ccm.awaitEnsured(services, 3)
	if n := env.Cloud.Counters().Mutating; n != 0 {
		t.Errorf("%d requests that change something: %s", n, mutations())
	}
	t.Logf("requests: %v", routesAsked())
	unwritten(t, since)
}

// unchanging are the annotations of Services of many kinds.
func unchanging() []map[string]string {
	return []map[string]string{
		nil,
		regional("certificate-name", "web", "http-ports", "80", "redirect-http-to-https", "true"),
		withCertificate(regional("certificate-id", "{certificate}", "http3-port", "443", "sticky-sessions-type", "cookies",
			"sticky-sessions-cookie-name", "lb", "sticky-sessions-cookie-ttl", "60", "enable-proxy-protocol", "true")),
		with("network", "INTERNAL"),
		with("size-unit", "2", "allow-rules", "cidr:203.0.113.9/24,ip:2001:db8::1", "override-health-check", ""),
		with("size-slug", "lb-large", "algorithm", "least_connections", "hostname", "www.example.com"),
	}
}

// awaitEnsured waits until the CCM has said so often of every Service that it was ensured.
func (r *runner) awaitEnsured(services []*service, n int) {
	r.t.Helper()
	err := controlplane.Eventually(within(r.t), func(context.Context) error {
		log := r.Log()
		for _, s := range services {
			said := fmt.Sprintf("object=%q fieldPath=\"\" kind=\"Service\" apiVersion=\"v1\" type=\"Normal\" reason=\"EnsuredLoadBalancer\"", namespace+"/"+s.name)
			if got := strings.Count(log, said); got < n {
				return fmt.Errorf("%s was ensured %d times, want %d", s.name, got, n)
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatalf("%v; requests: %v", err, routesAsked())
	}
}

// expectReads allows so many reads of balancers for each Service: one for each reason there was
// to look at it. A start is two: the Service is new to the process, and so are the nodes.
func expectReads(t *testing.T, services []*service, n int, after string) {
	t.Helper()
	reads := 0
	for route, requests := range routesAsked() {
		if strings.HasPrefix(route, "GET "+allBalancers) {
			reads += requests
		}
	}
	if allowed := n * len(services); reads > allowed || reads == 0 {
		t.Errorf("%d reads of balancers after %s, want 1 to %d: %v", reads, after, allowed, routesAsked())
	}
}

// mutations lists the requests that changed something or tried to.
func mutations() string {
	var list []string
	for _, r := range env.Cloud.Requests() {
		if r.Method != "GET" {
			list = append(list, fmt.Sprintf("%s %s %s", r.Method, r.Path, r.Body))
		}
	}
	return strings.Join(list, "\n")
}

func routesAsked() map[string]int {
	routes := map[string]int{}
	for route, counter := range env.Cloud.Counters().Routes {
		routes[route] = counter.Requests
	}
	return routes
}

// unwritten expects that the CCM has written no Service since then.
func unwritten(t *testing.T, since time.Time) {
	t.Helper()
	for _, resource := range []string{"services", "services/status"} {
		events, err := env.AuditEvents(controlplane.AuditFilter{
			User:  "system:serviceaccount:" + lab.Namespace + ":" + lab.ServiceAccount,
			Verbs: controlplane.WriteVerbs(), Resource: resource, Since: since,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			t.Errorf("the ccm wrote: %s %s", e.Verb, e.RequestURI)
		}
	}
}
