package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// kubeletPort is where a kubelet listens that does not say.
	kubeletPort = 10250
	// kubeletPatience is how long one may take to answer. mostKubelets are asked.
	kubeletPatience, mostKubelets = time.Second, 100
)

// A kubelet that signs its certificate itself has the common name HOST@TIME, and its authority HOST-ca@TIME (GenerateSelfSignedCertKey of
// k8s.io/client-go/util/cert). The authorities of k3s and RKE2 have names of that form too.
var selfSigned = regexp.MustCompile(`^(.+)@[0-9]+ (.+)-ca@[0-9]+$`)

func isSelfSigned(c *x509.Certificate) bool {
	names := selfSigned.FindStringSubmatch(c.Subject.CommonName + " " + c.Issuer.CommonName)
	return names != nil && names[1] == names[2]
}

// kubelets has names of Nodes; only the first hundred Nodes are asked. The kubelets of selfSigned sign the certificates that they serve with
// themselves. Those of unreached did not answer from here.
type kubelets struct{ selfSigned, unreached []string }

// askKubelets looks at what the kubelets of Nodes serve with. One that serves nothing waits for its certificate, and is in neither list.
func askKubelets(ctx context.Context, nodes []*corev1.Node) (k kubelets) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, node := range nodes[:min(len(nodes), mostKubelets)] {
		all.Go(func() {
			served, err := servingCertificate(ctx, node)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				k.unreached = append(k.unreached, node.Name)
			case served != nil && isSelfSigned(served):
				k.selfSigned = append(k.selfSigned, node.Name)
			}
		})
	}
	all.Wait()
	slices.Sort(k.selfSigned)
	slices.Sort(k.unreached)
	return k
}

// servingCertificate returns what a Node's kubelet serves with, nil where it has nothing to serve with.
func servingCertificate(ctx context.Context, node *corev1.Node) (*x509.Certificate, error) {
	at := slices.IndexFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeInternalIP })
	if at < 0 {
		return nil, errors.New("it has no internal address")
	}
	ctx, cancel := context.WithTimeout(ctx, kubeletPatience)
	defer cancel()
	// Nothing is sent: only the certificate is looked at.
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
	port := int(cmp.Or(node.Status.DaemonEndpoints.KubeletEndpoint.Port, kubeletPort))
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(node.Status.Addresses[at].Address, strconv.Itoa(port)))
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "remote error" { // an alert: it has no certificate
		return nil, nil //nolint:nilnil // see above
	}
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil // a server always has one
}
