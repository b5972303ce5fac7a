package certificate_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// world is a cloud and a cluster. Hooks may be nil; they run with the lock.
type world struct {
	t        *testing.T
	approver *certificate.Approver
	options  certificate.Options

	mu       sync.Mutex
	machines []cloud.Instance
	nodes    map[string]*corev1.Node
	requests map[string]*certificatesv1.CertificateSigningRequest
	outcomes []certificate.Outcome
	decided  map[string]time.Time // by request
	made     int
	calls    map[string]int
	order    []string             // of the calls
	came     map[string]time.Time // when each request did
	since    time.Time            // when the latest list began
	hangs    string               // what does not answer before its context ends
	reserved []string

	onList, onTrust, onFind, onReserved, onPatch, onNode func() error
}

var key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)

// simulate runs a test with simulated time, in a world with that many Nodes.
func simulate(t *testing.T, nodes int, test func(*world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			t: t, nodes: map[string]*corev1.Node{}, requests: map[string]*certificatesv1.CertificateSigningRequest{},
			decided: map[string]time.Time{}, calls: map[string]int{}, came: map[string]time.Time{},
		}
		w.options = certificate.Options{
			Cloud:    run.Decorate(cloudtest.Driver(w), run.Options{Descriptor: cloud.Descriptor{Name: "test", ProviderIDSchemes: []string{"test"}}}),
			Machines: w, Requests: requests{w}, Nodes: w.allNodes, Node: w.node,
			Reserved: func(ctx context.Context) ([]string, error) { return w.reserved, w.call(ctx, "reserved", &w.onReserved) },
			Report: func(o certificate.Outcome) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.outcomes = append(w.outcomes, o)
			},
		}
		for n := range nodes {
			w.join(n)
		}
		test(w)
	})
}

// start runs the approver until the test ends.
func (w *world) start() {
	w.create()
	w.run()
}

func (w *world) create() {
	var err error
	if w.approver, err = certificate.New(w.options); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) run() {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.approver.Run(ctx)
	}()
	w.t.Cleanup(func() { cancel(); <-done })
}

func ip(n int) string { return fmt.Sprintf("10.0.%d.%d", n/250, n%250+1) }

func name(n int) string { return fmt.Sprintf("node-%d", n) }

// join adds a Node with its machine.
func (w *world) join(n int) {
	w.machines = append(w.machines, cloud.Instance{
		ID: cloud.InstanceID(fmt.Sprintf("m-%d", n)), Name: name(n), State: cloud.StateRunning,
		Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: ip(n)}},
	})
	w.nodes[name(n)] = &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name(n), UID: types.UID("uid-" + name(n)), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: fmt.Sprintf("test://m-%d", n)},
		Status:     corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: ip(n)}}},
	}
}

// ask has the kubelet of a Node ask for a certificate with these names and addresses, its own without any. It returns the request's name.
func (w *world) ask(n int, asked ...string) string {
	w.t.Helper()
	w.made++
	return w.askAs(fmt.Sprintf("csr-%d", w.made), n, nil, asked...)
}

func (w *world) askAs(request string, n int, change func(*certificatesv1.CertificateSigningRequest), asked ...string) string {
	w.t.Helper()
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "system:node:" + name(n), Organization: []string{"system:nodes"}}}
	if len(asked) == 0 {
		asked = []string{name(n), ip(n)}
	}
	for _, text := range asked {
		if ip := net.ParseIP(text); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, text)
		}
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		w.t.Fatal(err)
	}
	csr := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{
			Name: request, UID: types.UID(fmt.Sprintf("%s-%d", request, time.Now().UnixNano())), ResourceVersion: fmt.Sprint(100 + len(w.came)),
			CreationTimestamp: metav1.NewTime(time.Now().Truncate(time.Second)), Annotations: map[string]string{},
		},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			SignerName: certificatesv1.KubeletServingSignerName, Username: "system:node:" + name(n), Groups: []string{"system:nodes"},
			Usages:  []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth},
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
		},
	}
	if change != nil {
		change(csr)
	}
	w.mu.Lock()
	w.requests[request], w.came[request] = csr, time.Now()
	w.mu.Unlock()
	_ = w.approver.Add(csr)
	return request
}

// request returns a copy of a request.
func (w *world) request(name string) *certificatesv1.CertificateSigningRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[name].DeepCopy()
}

// condition returns how a request was decided, "" for not yet.
func (w *world) condition(request string) certificatesv1.RequestConditionType {
	w.mu.Lock()
	defer w.mu.Unlock()
	if csr := w.requests[request]; csr != nil && len(csr.Status.Conditions) == 1 {
		return csr.Status.Conditions[0].Type
	}
	return ""
}

func (w *world) want(request string, want certificatesv1.RequestConditionType) {
	w.t.Helper()
	if got := w.condition(request); got != want {
		w.t.Errorf("%s is %q, want %q; outcomes: %v", request, got, want, w.outcomes)
	}
}

// news are the outcomes that are told on a Node.
func (w *world) news() (news []certificate.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.outcomes), func(o certificate.Outcome) bool { return !o.New })
}

func (w *world) call(ctx context.Context, what string, hook *func() error) error {
	time.Sleep(20 * time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[what]++
	w.order = append(w.order, what)
	if w.hangs == what {
		w.mu.Unlock()
		<-ctx.Done()
		w.mu.Lock()
		return ctx.Err()
	}
	if hook == nil || *hook == nil {
		return nil
	}
	return (*hook)()
}

// change changes the world.
func (w *world) change(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// pass lets time pass, and what is to happen until then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) Listed(ctx context.Context, since time.Time) ([]cloud.Instance, error) {
	if err := w.call(ctx, "list", &w.onList); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = since
	return slices.Clone(w.machines), nil
}

func (w *world) Trust(ctx context.Context, _ string) error { return w.call(ctx, "trust", &w.onTrust) }

func (w *world) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{}, errors.ErrUnsupported
}
func (w *world) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureUnknown} }
func (w *world) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{}, errors.ErrUnsupported
}

func (w *world) ParseProviderID(text string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(text, "test://")), nil
}

func (w *world) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		found[id] = cloud.Instance{ID: id, State: cloud.StateRunning}
	}
	return found, w.call(ctx, "get", nil)
}

// FindByName finds a machine by its Node's number.
func (w *world) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	return []cloud.Instance{{ID: cloud.InstanceID("m-" + strings.TrimPrefix(name, "node-"))}}, w.call(ctx, "find", &w.onFind)
}

func (w *world) allNodes() (all []*corev1.Node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, node := range w.nodes {
		all = append(all, node.DeepCopy())
	}
	return all
}

func (w *world) node(_ context.Context, name string) (*corev1.Node, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.onNode != nil {
		if err := w.onNode(); err != nil {
			return nil, err
		}
	}
	if node := w.nodes[name]; node != nil {
		return node.DeepCopy(), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "nodes"}, name)
}

// requests is the typed client.
type requests struct{ w *world }

var resource = schema.GroupResource{Resource: "certificatesigningrequests"}

func (r requests) Get(ctx context.Context, name string, _ metav1.GetOptions) (*certificatesv1.CertificateSigningRequest, error) {
	if r.w.hangs == "request" {
		<-ctx.Done()
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if csr := r.w.requests[name]; csr != nil {
		return csr.DeepCopy(), ctx.Err()
	}
	return nil, apierrors.NewNotFound(resource, name)
}

// Patch merges a decision as the API server does. It fails the test where a request is judged by what was read before it was made.
func (r requests) Patch(
	ctx context.Context, name string, of types.PatchType, data []byte, _ metav1.PatchOptions, subresources ...string,
) (*certificatesv1.CertificateSigningRequest, error) {
	if err := r.w.call(ctx, "patch", &r.w.onPatch); err != nil {
		return nil, err
	}
	var patch struct {
		Metadata struct {
			UID             types.UID
			ResourceVersion string
		}
		Status struct {
			Conditions []certificatesv1.CertificateSigningRequestCondition
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&patch); err != nil || of != types.MergePatchType || !slices.Equal(subresources, []string{"approval"}) {
		r.w.t.Errorf("%s of %q with %s: %v", of, subresources, data, err)
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	now := r.w.requests[name]
	if now == nil || now.UID != patch.Metadata.UID || now.ResourceVersion != patch.Metadata.ResourceVersion {
		return nil, apierrors.NewConflict(resource, name, errors.New("it has changed"))
	}
	if r.w.since.Before(r.w.came[name]) {
		r.w.t.Errorf("%s came at %v, a list from %v on would do", name, r.w.came[name], r.w.since)
	}
	csr := now.DeepCopy()
	csr.Status.Conditions = patch.Status.Conditions
	csr.ResourceVersion += "0"
	r.w.requests[name], r.w.decided[name] = csr, time.Now()
	go r.w.approver.Update(csr.DeepCopy())
	return csr, ctx.Err()
}
