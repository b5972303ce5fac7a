// Package certificate_test tests the approver of kubelets' serving certificates against a real kube-apiserver with RBAC, the Node authorizer
// and NodeRestriction, and kube-controller-manager as the signer. The kubelets are those of client-go's certificate manager, which is the
// real one's. The machines are in memory.
package certificate_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubelet"
)

const (
	startLimit = 20 * time.Minute
	patience   = 5 * time.Minute
	account    = "certificate-approver"
)

// role is all that the approver may do.
const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: certificate-approver}
rules:
- {apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests], verbs: [get, list, watch]}
- {apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests/approval], verbs: [patch]}
- {apiGroups: [certificates.k8s.io], resources: [signers], resourceNames: [kubernetes.io/kubelet-serving], verbs: [approve]}
- {apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: certificate-approver}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: certificate-approver}
subjects: [{kind: ServiceAccount, namespace: kube-system, name: certificate-approver}]
`

var (
	env *controlplane.ControlPlane
	// approver is the client of the approver's own account.
	approver kubernetes.Interface
	// signer is the authority that kube-controller-manager signs with.
	signer *kubelet.Signer
)

func TestMain(m *testing.M) { os.Exit(start(m)) }

func start(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "e2e-certificate-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = begin(ctx, dir)
	}
	if env != nil {
		defer env.Stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting the cluster:", err)
		return 1
	}
	return m.Run()
}

func begin(ctx context.Context, dir string) (err error) {
	if signer, err = kubelet.NewSigner(dir); err != nil {
		return err
	}
	env, err = controlplane.Start(ctx, controlplane.Options{
		Progress: os.Stderr, Controllers: []string{"certificatesigningrequest-signing-controller"},
		ControllerManagerArgs: signer.ControllerManagerArgs(),
	})
	if err != nil {
		return err
	}
	if err = env.ApplyManifest(ctx, []byte(role)); err != nil {
		return err
	}
	path, err := env.ServiceAccountKubeconfig(ctx, metav1.NamespaceSystem, account)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 400, 400 // as the controller manager's own (ADR 8)
	approver, err = kubernetes.NewForConfig(config)
	return err
}

// site is the cluster with a cloud of machines, for one test.
type site struct {
	*testing.T
	ctx    context.Context
	client kubernetes.Interface
	// nodes is the approver's cache.
	nodes cache.Store

	mu       sync.Mutex
	machines map[cloud.InstanceID]cloud.Instance
	lists    int
	outcomes map[string]certificate.Outcome // the latest of each Node
}

// open starts an approver in an empty cluster.
func open(t *testing.T, client kubernetes.Interface) *site {
	t.Helper()
	s := prepare(t, client)
	s.start()
	return s
}

// prepare empties the cluster, and watches its Nodes.
func prepare(t *testing.T, client kubernetes.Interface) *site {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("not within %s", patience))
	t.Cleanup(cancel)
	s := &site{
		T: t, ctx: ctx, client: client, nodes: cache.NewStore(cache.MetaNamespaceKeyFunc),
		machines: map[cloud.InstanceID]cloud.Instance{}, outcomes: map[string]certificate.Outcome{},
	}
	s.must(env.Client().CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.must(env.Client().CertificatesV1().CertificateSigningRequests().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	go cache.NewReflector(cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "nodes", "", fields.Everything()), &corev1.Node{}, s.nodes, 0).RunWithContext(ctx)
	return s
}

// start starts the approver.
func (s *site) start() {
	s.Helper()
	requests := s.client.CertificatesV1().CertificateSigningRequests()
	a, err := certificate.New(certificate.Options{
		Cloud:    run.Decorate(&cloud.Driver{Account: s, Machines: cloud.MachineGroup{Instances: s}}, run.Options{Descriptor: cloud.Descriptor{Name: "test", ProviderIDSchemes: []string{"test"}}}),
		Machines: s, Requests: requests, Reserve: []string{"10.0.0.100"},
		Nodes: func() (all []*corev1.Node) {
			for _, node := range s.nodes.List() {
				all = append(all, node.(*corev1.Node))
			}
			return all
		},
		Node: func(ctx context.Context, name string) (*corev1.Node, error) {
			return s.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		},
		Reserved: func(context.Context) ([]string, error) { return []string{"10.96.0.1"}, nil },
		Report: func(o certificate.Outcome) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if o.Node != nil {
				s.outcomes[o.Node.Name] = o
			}
		},
	})
	s.must(err)
	serving := fields.OneTermEqualSelector("spec.signerName", certificatesv1.KubeletServingSignerName)
	source := cache.NewListWatchFromClient(s.client.CertificatesV1().RESTClient(), "certificatesigningrequests", "", serving)
	ctx, cancel := context.WithCancel(s.ctx)
	go cache.NewReflector(source, &certificatesv1.CertificateSigningRequest{}, store{a}, 0).RunWithContext(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.Run(ctx)
	}()
	s.Cleanup(func() { cancel(); <-done })
}

// store trims what is streamed too.
type store struct{ *certificate.Approver }

func (store) Transformer() cache.TransformFunc { return certificate.Trim }

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// machine adds a machine.
func (s *site) machine(id cloud.InstanceID, name string, addresses ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := cloud.Instance{ID: id, Name: name, State: cloud.StateRunning}
	for _, a := range addresses {
		m.Addresses = append(m.Addresses, cloud.Address{Type: cloud.AddressInternalIP, Address: a})
	}
	s.machines[id] = m
}

// join adds a Node, as an operator could, and waits until the approver knows it.
func (s *site) join(name, providerID string) {
	s.Helper()
	node, err := env.JoinNode(s.ctx, controlplane.NodeOptions{Name: name, ProviderID: providerID, Initialized: true})
	s.must(err)
	s.known(name, node.UID)
}

// known waits until the approver's cache has a Node, or until it has none of that name.
func (s *site) known(name string, uid types.UID) {
	s.Helper()
	s.must(controlplane.Eventually(s.ctx, func(context.Context) error {
		var now types.UID
		if node, there, _ := s.nodes.GetByKey(name); there {
			now = node.(*corev1.Node).UID
		}
		if now != uid {
			return fmt.Errorf("node %s is %q in the cache, want %q", name, now, uid)
		}
		return nil
	}))
}

// kubelet returns a client with the credential of a kubelet.
func (s *site) kubelet(name string) kubernetes.Interface {
	s.Helper()
	client, err := kubelet.Client(env, name)
	s.must(err)
	return client
}

// outcome waits for what became of a request of a Node: no reason that passes by itself.
func (s *site) outcome(node string) (o certificate.Outcome) {
	s.Helper()
	s.must(controlplane.Eventually(s.ctx, func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		o = s.outcomes[node]
		if passes := o.Reason == judge.Failed && !apierrors.IsForbidden(o.Err); passes || slices.Contains([]judge.Reason{"", judge.Early, judge.Unknown}, o.Reason) {
			return fmt.Errorf("of the request of node %s became %q: %s", node, o.Reason, o.Message)
		}
		return nil
	}))
	return o
}

// Listed implements certificate.Machines.
func (s *site) Listed(context.Context, time.Time) ([]cloud.Instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	return slices.Collect(maps.Values(s.machines)), nil
}

// Trust implements certificate.Machines.
func (s *site) Trust(context.Context, string) error { return nil }

func (s *site) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{Unknown: true}, nil
}
func (s *site) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureUnknown} }
func (s *site) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{}, errors.ErrUnsupported
}

func (s *site) Get(context.Context, ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return nil, errors.ErrUnsupported
}

func (s *site) FindByName(context.Context, string) ([]cloud.Instance, error) { return nil, nil }

func (s *site) ParseProviderID(text string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(text, "test://")), nil
}
