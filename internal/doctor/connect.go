package doctor

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// apiPorts are where API servers, and what stands before them on a node, listen: kubeadm; a cloud's
// balancer; RKE2's and k3s' agents; Talos' KubePrism; k0s' node-local balancer; MicroK8s.
var apiPorts = []string{"6443", "443", "6444", "7445", "7443", "16443"}

const dialTimeout = time.Second

// answering returns the addresses of this node at which an API server may be reached.
func answering(ctx context.Context) []string {
	hosts := append([]string{"127.0.0.1"}, ownAddresses()...)
	var mu sync.Mutex
	var found []string
	var all sync.WaitGroup
	for _, host := range hosts {
		for _, port := range apiPorts {
			all.Go(func() {
				address := net.JoinHostPort(host, port)
				dialer := net.Dialer{Timeout: dialTimeout}
				conn, err := dialer.DialContext(ctx, "tcp", address)
				if err != nil {
					return
				}
				_ = conn.Close()
				mu.Lock()
				defer mu.Unlock()
				found = append(found, address)
			})
		}
	}
	all.Wait()
	slices.Sort(found)
	return found
}

// mostOwn bounds the addresses of this machine that are tried.
const mostOwn = 4

func ownAddresses() []string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var own []string
	for _, a := range all {
		if network, ok := a.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && len(own) < mostOwn {
			own = append(own, network.IP.String())
		}
	}
	return own
}

func judgeServer(f *facts) Outcome {
	err := f.version.err
	switch {
	case err == nil:
		return fine("Kubernetes %s", f.version.value)
	case f.ClientErr != nil:
		return failure(err.Error(), "name a kubeconfig with --kubeconfig, or run the doctor in the controller manager's Pod")
	case answered(err):
		return failure(fmt.Sprintf("%s answers: %v", f.Server, err), "the API server refuses this identity: renew the token or the certificate of the kubeconfig", f.Server)
	case len(f.candidates) > 0:
		return failure(fmt.Sprintf("%s does not answer: %v", f.Server, err),
			"if one of these is the API server, use it: in the Pod KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, which the chart sets by apiServer.mode; kube-proxy, which serves the Service's address, may not run yet",
			"something answers at "+strings.Join(f.candidates, ", "))
	default:
		return failure(fmt.Sprintf("%s does not answer: %v", f.Server, err), "", "nothing answers on this machine at ports "+strings.Join(apiPorts, ", "))
	}
}

func judgeReadable(f *facts) Outcome {
	if f.version.err != nil {
		return cannot(f.nodes.err)
	}
	if failed := f.problems(); len(failed) > 0 {
		return failure(plural(len(failed), "read")+" failed, so that other checks could not be made", "", bounded(failed)...)
	}
	return fine("everything that the doctor may read was read")
}
