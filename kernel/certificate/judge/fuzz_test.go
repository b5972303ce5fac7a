package judge_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// FuzzText takes any text for a request: no panic, and nothing is approved that the slow judge does not approve.
func FuzzText(f *testing.F) {
	s := newScene()
	s.write(f)
	f.Add(s.csr.Spec.Request)
	f.Add(append(s.csr.Spec.Request, s.csr.Spec.Request...))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := newScene()
		s.csr.Spec.Request = text
		if decision := s.judge(t); decision.Reason == judge.Approved && !s.slow() {
			t.Errorf("%q is approved", text)
		}
	})
}

// FuzzSigned takes any bytes for the subject and for the attributes of a request, and signs it.
func FuzzSigned(f *testing.F) {
	for _, change := range []func(*scene){
		func(*scene) {},
		func(s *scene) { s.ask("10.0.0.1") },
		func(s *scene) { s.ask("node-1") },
		func(s *scene) { s.ask("10.0.0.2") },
		func(s *scene) { s.template.EmailAddresses = []string{"a@example.com"} },
		func(s *scene) { s.template.Subject.Organization = []string{"system:nodes", "system:masters"} },
	} {
		s := newScene()
		s.key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
		change(s)
		s.write(f)
		block, _ := pem.Decode(s.csr.Spec.Request)
		parsed := mustKey(x509.ParseCertificateRequest(block.Bytes))
		from := len(parsed.RawTBSCertificateRequest) - len(attributesOf(parsed))
		f.Add(parsed.RawSubject, parsed.RawTBSCertificateRequest[from:])
	}
	f.Fuzz(func(t *testing.T, subject, attributes []byte) {
		s := newScene()
		s.csr.Spec.Request = signed(t, subject, attributes)
		decision := s.judge(t)
		if decision.Reason == judge.Approved && !s.slow() {
			t.Errorf("subject %x with attributes %x is approved", subject, attributes)
		}
	})
}

type tbs struct {
	Version    int
	Subject    asn1.RawValue
	Key        asn1.RawValue
	Attributes asn1.RawValue
}

func attributesOf(parsed *x509.CertificateRequest) []byte {
	var parts tbs
	if _, err := asn1.Unmarshal(parsed.RawTBSCertificateRequest, &parts); err != nil {
		panic(err)
	}
	return parts.Attributes.FullBytes
}

func signed(t *testing.T, subject, attributes []byte) []byte {
	t.Helper()
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := mustKey(x509.MarshalPKIXPublicKey(private.Public()))
	if len(subject) == 0 || len(attributes) == 0 {
		t.Skip("nothing to sign")
	}
	body, err := asn1.Marshal(tbs{0, asn1.RawValue{FullBytes: subject}, asn1.RawValue{FullBytes: public}, asn1.RawValue{FullBytes: attributes}})
	if err != nil {
		t.Skip(err)
	}
	der := mustKey(asn1.Marshal(struct {
		Signed    asn1.RawValue
		Algorithm struct{ ID asn1.ObjectIdentifier }
		Signature asn1.BitString
	}{
		asn1.RawValue{FullBytes: body}, struct{ ID asn1.ObjectIdentifier }{asn1.ObjectIdentifier{1, 3, 101, 112}},
		asn1.BitString{Bytes: ed25519.Sign(private, body), BitLength: 512},
	}))
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

// texts are what the world and the request are made of.
var texts = []string{
	"node-1", "node-1.internal", "10.0.0.1", "203.0.113.1", "2001:db8::1", "node-2", "10.0.0.2", "100.64.0.1", "100.64.0.2", "10.96.0.1", "127.0.0.1",
	"kubernetes.default.svc", "localhost", "api.example.com", "Node-1.Internal", "LOCALHOST", "NODE-1.", "::ffff:10.0.0.1", "2001:DB8:0::1", "other",
}

// changes are changes of the world, each with one of the texts.
var changes = []func(s *scene, text string){
	func(s *scene, text string) { gives(s.machine, text) },
	func(s *scene, text string) { gives(s.second, text) },
	func(s *scene, text string) { show(s.node, text) },
	func(s *scene, text string) { show(s.other, text) },
	func(s *scene, text string) { s.machine.Name = text },
	func(s *scene, text string) { s.second.Name = text },
	func(s *scene, text string) { s.other.Annotations["alpha.kubernetes.io/provided-node-ip"] = text },
	func(s *scene, text string) {
		s.other.Spec.ProviderID = []string{"test://m-1", "test://m-9", "other://m-1"}[len(text)%3]
	},
	func(s *scene, text string) {
		s.node.Spec.ProviderID = []string{"test://m-1", "test://m-2", "other://m-1"}[len(text)%3]
	},
	func(s *scene, text string) { s.nodes = s.nodes[:min(len(s.nodes), 1+len(text)%2)] },
	func(s *scene, text string) { s.machines = s.machines[min(len(s.machines), len(text)%2):] },
	func(s *scene, text string) {
		s.machine.State = []cloud.State{cloud.StateRunning, cloud.StateStopped, cloud.StateUnknown}[len(text)%3]
	},
	func(s *scene, text string) { s.facts.States["m-1"] = cloud.StateRunning },
	func(s *scene, text string) {
		s.facts.Named["node-1"] = []cloud.Instance{{ID: "m-1"}, {ID: "m-2"}}[:len(text)%3]
	},
	func(s *scene, text string) { s.facts.Accounts[""] = len(text)%2 == 0 },
	func(s *scene, text string) { s.facts.Cloud.Namer = namer{} },
	func(s *scene, text string) { s.facts.Cloud.Completer = completer{} },
	func(s *scene, text string) { s.reserve(text) },
	func(s *scene, text string) {
		s.node.CreationTimestamp = metav1.NewTime(made.Add(time.Duration(len(text)%5) * time.Second))
	},
	func(s *scene, text string) {
		s.facts.Networks = s.facts.Networks[:min(len(s.facts.Networks), len(text)%2)]
	},
}

// FuzzWorlds makes a request and a world of any bytes: both judges approve the same.
func FuzzWorlds(f *testing.F) {
	f.Add(uint32(0b11111), []byte{})
	f.Add(uint32(0b101), []byte{1, 2})
	f.Add(uint32(0b10000101), []byte{2, 7})
	f.Add(uint32(0b1), []byte{4, 17, 13, 1})
	f.Fuzz(func(t *testing.T, asked uint32, data []byte) {
		s := newScene()
		s.ask()
		for i, text := range texts[:16] {
			if asked>>i&1 == 1 {
				s.askToo(text)
			}
		}
		for i := 0; i+1 < min(len(data), 16); i += 2 {
			changes[int(data[i])%len(changes)](s, texts[int(data[i+1])%len(texts)])
		}
		decision := s.judge(t)
		if slow := s.slow(); (decision.Reason == judge.Approved) != slow {
			t.Errorf("%s (%s), the slow judge approves: %v; it asks for %v and %v", decision.Reason, decision.Message, slow, s.template.DNSNames, s.template.IPAddresses)
		}
	})
}
