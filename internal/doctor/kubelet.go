package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
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

// selfSigner is the common name of the authority that a kubelet makes for itself (GenerateSelfSignedCertKey of k8s.io/client-go/util/cert).
var selfSigner = regexp.MustCompile(`-ca@[0-9]+$`)

// kubelets are the Nodes whose kubelets sign the certificates that they serve with themselves, and those that were not reached from here.
type kubelets struct{ selfSigned, unreached []string }

// askKubelets looks at what the kubelets of Nodes serve with. One that serves nothing waits for its certificate, and is in neither list.
func askKubelets(ctx context.Context, nodes []*corev1.Node) (k kubelets) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, node := range nodes[:min(len(nodes), mostKubelets)] {
		all.Go(func() {
			signer, err := servingSigner(ctx, node)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				k.unreached = append(k.unreached, node.Name)
			case selfSigner.MatchString(signer):
				k.selfSigned = append(k.selfSigned, node.Name)
			}
		})
	}
	all.Wait()
	slices.Sort(k.selfSigned)
	slices.Sort(k.unreached)
	return k
}

// servingSigner returns the common name of who signed what a Node's kubelet serves with, "" where it serves with nothing.
func servingSigner(ctx context.Context, node *corev1.Node) (string, error) {
	at := slices.IndexFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeInternalIP })
	if at < 0 {
		return "", errors.New("it has no internal address")
	}
	ctx, cancel := context.WithTimeout(ctx, kubeletPatience)
	defer cancel()
	// Nothing is sent: only the certificate is looked at.
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
	port := int(cmp.Or(node.Status.DaemonEndpoints.KubeletEndpoint.Port, kubeletPort))
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(node.Status.Addresses[at].Address, strconv.Itoa(port)))
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "remote error" { // an alert: it has no certificate
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer conn.Close()
	certificates := conn.(*tls.Conn).ConnectionState().PeerCertificates
	if len(certificates) == 0 {
		return "", nil
	}
	return certificates[0].Issuer.CommonName, nil
}
