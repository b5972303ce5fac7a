package judge_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// driver is a cloud of which only the pure methods are asked.
type driver struct{}

func (driver) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{}, errors.ErrUnsupported
}
func (driver) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureUnknown} }
func (driver) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{}, errors.ErrUnsupported
}

func (driver) Get(context.Context, ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return nil, errors.ErrUnsupported
}
func (driver) FindByName(context.Context, string) ([]cloud.Instance, error) {
	return nil, errors.ErrUnsupported
}

func (driver) ParseProviderID(text string) (cloud.InstanceID, error) {
	id, ok := strings.CutPrefix(text, "test://")
	if !ok || id == "malformed" {
		return "", errors.New("malformed")
	}
	return cloud.InstanceID(id), nil
}

func newCloud() *run.Cloud {
	return run.Decorate(cloudtest.Driver(driver{}), run.Options{Descriptor: cloud.Descriptor{Name: "test", ProviderIDSchemes: []string{"test"}}})
}

const year = 366 * 24 * time.Hour

var (
	made   = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
)

// scene is a request that is approved, and what it is compared with. A test changes one thing.
type scene struct {
	reserved []string
	template x509.CertificateRequest
	key      crypto.Signer
	csr      *certificatesv1.CertificateSigningRequest
	// edit changes the text of the request.
	edit func([]byte) []byte

	node, other *corev1.Node
	nodes       []*corev1.Node
	machine     *cloud.Instance
	second      *cloud.Instance
	machines    []*cloud.Instance
	facts       judge.Facts
}

// reserve reserves names and addresses beside those that are.
func (s *scene) reserve(texts ...string) {
	s.reserved = append(s.reserved, texts...)
	reserved := mustKey(judge.Reserve(s.reserved...))
	s.facts.Reserved = &reserved
}

// isReserved compares with all forms of what is reserved.
func (s *scene) isReserved(text string) bool {
	text = slowText(text)
	for _, reserved := range s.reserved {
		if address, _ := netip.ParseAddr(text); address.IsValid() && strings.Contains(reserved, "/") {
			if network, err := netip.ParsePrefix(reserved); err == nil && network.Contains(address) {
				return true
			}
		}
		for _, around := range []string{"%s", "%s:6443", "https://%s:6443/", "https://[%s]:6443"} {
			if slowText(reserved) == fmt.Sprintf(around, text) {
				return true
			}
		}
	}
	return false
}

func newScene() *scene {
	s := &scene{
		template: x509.CertificateRequest{
			Subject:     pkix.Name{CommonName: "system:node:node-1", Organization: []string{"system:nodes"}},
			DNSNames:    []string{"node-1", "node-1.internal"},
			IPAddresses: []net.IP{net.ParseIP("10.0.0.1"), net.ParseIP("203.0.113.1"), net.ParseIP("2001:db8::1")},
		},
		key:     key,
		csr:     &certificatesv1.CertificateSigningRequest{},
		node:    newNode("node-1", "m-1", "10.0.0.1"),
		other:   newNode("node-2", "m-2", "10.0.0.2"),
		machine: newMachine("node-1", "m-1", "10.0.0.1", "203.0.113.1", "2001:db8::1"),
		second:  newMachine("node-2", "m-2", "10.0.0.2", "203.0.113.2", "2001:db8::2"),
		facts: judge.Facts{
			Cloud: newCloud(), Named: map[string][]cloud.Instance{}, States: map[cloud.InstanceID]cloud.State{}, Accounts: map[string]bool{"": true},
			Networks: []netip.Prefix{netip.MustParsePrefix("100.64.0.0/10")},
		},
	}
	s.reserve("API.example.com.", "::ffff:10.96.0.1", "10.0.0.100") // in any form
	s.csr.Name, s.csr.CreationTimestamp = "csr-x", metav1.NewTime(made)
	s.csr.Spec = certificatesv1.CertificateSigningRequestSpec{
		SignerName: certificatesv1.KubeletServingSignerName, Username: "system:node:node-1", Groups: []string{"system:nodes", "system:authenticated"},
		Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth},
	}
	s.nodes, s.machines = []*corev1.Node{s.node, s.other}, []*cloud.Instance{s.machine, s.second}
	return s
}

func newNode(name, machine, ip string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(made.Add(-time.Hour)), Annotations: map[string]string{}, Labels: map[string]string{}},
		Spec:       corev1.NodeSpec{ProviderID: "test://" + machine},
		Status:     corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}, {Type: corev1.NodeInternalIP, Address: ip}}},
	}
}

func newMachine(name string, id cloud.InstanceID, addresses ...string) *cloud.Instance {
	m := &cloud.Instance{ID: id, Name: name, State: cloud.StateRunning, Addresses: []cloud.Address{{Type: cloud.AddressInternalDNS, Address: name + ".internal"}}}
	for _, a := range addresses {
		m.Addresses = append(m.Addresses, cloud.Address{Type: cloud.AddressInternalIP, Address: a})
	}
	return m
}

// ask asks for these names and addresses, and nothing else.
func (s *scene) ask(all ...string) {
	s.template.DNSNames, s.template.IPAddresses = nil, nil
	for _, text := range all {
		s.askToo(text)
	}
}

func (s *scene) askToo(text string) {
	if ip := net.ParseIP(text); ip != nil {
		s.template.IPAddresses = append(s.template.IPAddresses, ip)
	} else {
		s.template.DNSNames = append(s.template.DNSNames, text)
	}
}

// gives adds an address to a machine.
func gives(m *cloud.Instance, text string) {
	m.Addresses = append(m.Addresses, cloud.Address{Type: cloud.AddressExternalIP, Address: text})
}

// show adds an address to a Node.
func show(node *corev1.Node, text string) {
	node.Status.Addresses = append(node.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: text})
}

// write signs the request.
func (s *scene) write(t testing.TB) {
	t.Helper()
	if s.csr.Spec.Request != nil {
		return
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &s.template, s.key)
	if err != nil {
		t.Fatal(err)
	}
	s.csr.Spec.Request = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	if s.edit != nil {
		s.csr.Spec.Request = s.edit(s.csr.Spec.Request)
	}
}

// list are the machines.
func (s *scene) list() []cloud.Instance {
	list := []cloud.Instance{} // not nil: it was read
	for _, m := range s.machines {
		list = append(list, *m)
	}
	return list
}

// judge writes the request and judges it.
func (s *scene) judge(t testing.TB) judge.Decision {
	t.Helper()
	s.write(t)
	s.facts.Nodes = judge.NodesOf(s.facts.Cloud, s.nodes)
	if s.facts.Machines == nil && s.machines != nil {
		s.facts.Machines = judge.MachinesOf(s.list())
	}
	return s.facts.Judge(judge.Read(s.csr, year))
}
