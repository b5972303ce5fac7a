package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// proxyPort is where kube-proxy answers the health checks of load balancers.
	proxyPort = "10256"
	// proxyPatience is how long a node may take to answer.
	proxyPatience = time.Second
	// proxyNodes is how many nodes are asked.
	proxyNodes = 2
)

// refusals asks nodes as a load balancer does that checks kube-proxy: a cluster without kube-proxy has
// to answer all the same. It returns the addresses that refuse, nil when any node answers or no
// Service asks. Only a refused connection is a proof: anything else may be a firewall between
// the node and here.
func refusals(ctx context.Context, nodes []*corev1.Node, services []corev1.Service, port string) []string {
	asks := slices.ContainsFunc(services, func(svc corev1.Service) bool {
		return svc.Spec.Type == corev1.ServiceTypeLoadBalancer && svc.Spec.LoadBalancerClass == nil && svc.Spec.ExternalTrafficPolicy != corev1.ServiceExternalTrafficPolicyLocal
	})
	if !asks {
		return nil
	}
	var refused []string
	for _, address := range readyAddresses(nodes) {
		if err := knock(ctx, net.JoinHostPort(address, port)); !errors.Is(err, syscall.ECONNREFUSED) {
			return nil
		}
		refused = append(refused, address)
	}
	return refused
}

func judgeHealthPort(f *facts) Outcome {
	switch {
	case f.services.err != nil:
		return cannot(f.services.err)
	case len(f.refused) == 0:
		return fine("no node refuses the health checks of load balancers")
	}
	return warning(fmt.Sprintf("nothing answers on port %s of %s, where load balancers ask for kube-proxy", proxyPort, names(f.refused)), "")
}

// readyAddresses are the first internal addresses of a few Ready nodes.
func readyAddresses(nodes []*corev1.Node) []string {
	var addresses []string
	for _, n := range nodes {
		at := slices.IndexFunc(n.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeInternalIP })
		if ready(n) && at >= 0 && len(addresses) < proxyNodes {
			addresses = append(addresses, n.Status.Addresses[at].Address)
		}
	}
	return addresses
}

// knock asks for the health of kube-proxy, whatever it answers.
func knock(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, proxyPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
