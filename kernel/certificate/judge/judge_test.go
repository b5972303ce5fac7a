package judge_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// row is a request that differs from one that is approved in one point.
type row struct {
	name   string
	change func(*scene)
	want   judge.Reason
}

// howTo has a table of what to do about each message.
const howTo = "../../../docs/how-to/kubelet-certificates.md"

// explainedMessages returns the messages that the how-to explains. "…" is for any text.
func explainedMessages(t *testing.T) []*regexp.Regexp {
	t.Helper()
	_, section, _ := strings.Cut(string(mustKey(os.ReadFile(howTo))), "\n## Why a request waits\n")
	var all []*regexp.Regexp
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); len(cells) == 2 {
			for message := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), "; ") {
				all = append(all, regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(message), "…", ".*")))
			}
		}
	}
	return all
}

func check(t *testing.T, rows []row) {
	t.Helper()
	explained := explainedMessages(t)
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			tt.change(s)
			decision := s.judge(t)
			if decision.Reason != tt.want {
				t.Errorf("%s (%s), want %s", decision.Reason, decision.Message, tt.want)
			}
			told := decision.Reason != judge.Approved && decision.Reason != judge.NotOurs
			if told && !slices.ContainsFunc(explained, func(says *regexp.Regexp) bool { return says.MatchString(decision.Message) }) {
				t.Errorf("%s says nothing about: %s", howTo, decision.Message)
			}
			if slow := s.slow(); (decision.Reason == judge.Approved) != slow {
				t.Errorf("%s (%s), the slow judge approves: %v", decision.Reason, decision.Message, slow)
			}
		})
	}
}

func mustKey[K any](key K, err error) K {
	if err != nil {
		panic(err)
	}
	return key
}

func TestRequestsThatKubeletsMake(t *testing.T) {
	encipherment := []certificatesv1.KeyUsage{certificatesv1.UsageKeyEncipherment, certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth}
	check(t, []row{
		{"ECDSA P-256", func(*scene) {}, judge.Approved},
		{"RSA 2048 with key encipherment", func(s *scene) {
			s.key, s.csr.Spec.Usages = mustKey(rsa.GenerateKey(rand.Reader, 2048)), encipherment
		}, judge.Approved},
		{"ECDSA P-384", func(s *scene) { s.key = mustKey(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) }, judge.Approved},
		{"ECDSA P-521", func(s *scene) { s.key = mustKey(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)) }, judge.Approved},
		{"Ed25519", func(s *scene) { s.key = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }, judge.Approved},
		{"an address alone", func(s *scene) { s.ask("10.0.0.1") }, judge.Approved},
		{"the Node's name alone", func(s *scene) { s.ask("node-1") }, judge.Approved},
		{"a year", func(s *scene) { s.csr.Spec.ExpirationSeconds = new(int32(year / time.Second)) }, judge.Approved},
		{"a Node as young as the request, by the second", func(s *scene) { s.node.CreationTimestamp = metav1.NewTime(made.Add(time.Second)) }, judge.Approved},
		{"a machine that starts", func(s *scene) { s.machine.State = cloud.StatePending }, judge.Approved},
		{"IPv6 that the cloud writes in another form", func(s *scene) { s.machine.Addresses[3].Address = "2001:DB8:0::1" }, judge.Approved},
		{"a name that the cloud writes in another form", func(s *scene) { s.machine.Addresses[0].Address = "Node-1.Internal." }, judge.Approved},
		{"a name in upper case, as the cloud writes it", func(s *scene) {
			s.machine.Addresses[0].Address = "Node-1.Internal"
			s.ask("node-1", "Node-1.Internal")
		}, judge.Approved},
		{"a name in both cases, as the cloud writes it", func(s *scene) {
			gives(s.machine, "NODE-1")
			s.ask("node-1", "NODE-1")
		}, judge.Approved},
	})
}

func TestRequestsThatNoKubeletMakes(t *testing.T) {
	san := func(tag int, value string) func(*scene) {
		return func(s *scene) {
			names := mustKey(asn1.Marshal([]asn1.RawValue{{Class: 2, Tag: 2, Bytes: []byte("node-1")}, {Class: 2, Tag: tag, Bytes: []byte(value)}}))
			s.template.DNSNames, s.template.IPAddresses = nil, nil
			s.template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: names}}
		}
	}
	subject := func(change func(*pkix.Name)) func(*scene) { return func(s *scene) { change(&s.template.Subject) } }
	text := func(edit func([]byte) []byte) func(*scene) { return func(s *scene) { s.edit = edit } }
	usages := func(all ...certificatesv1.KeyUsage) func(*scene) { return func(s *scene) { s.csr.Spec.Usages = all } }
	check(t, []row{
		{"CN of another Node", subject(func(n *pkix.Name) { n.CommonName = "system:node:node-2" }), judge.Malformed},
		{"user of another Node", func(s *scene) { s.csr.Spec.Username = "system:node:node-2" }, judge.Malformed},
		{"no O", subject(func(n *pkix.Name) { n.Organization = nil }), judge.Malformed},
		{"O of masters", subject(func(n *pkix.Name) { n.Organization = []string{"system:masters"} }), judge.Malformed},
		{"two O", subject(func(n *pkix.Name) { n.Organization = []string{"system:nodes", "system:masters"} }), judge.Malformed},
		{"OU", subject(func(n *pkix.Name) { n.OrganizationalUnit = []string{"x"} }), judge.Malformed},
		{"a second CN", subject(func(n *pkix.Name) {
			n.ExtraNames = []pkix.AttributeTypeAndValue{{Type: asn1.ObjectIdentifier{2, 5, 4, 3}, Value: "kubernetes"}}
		}), judge.Malformed},
		{"CN and O in one set", func(s *scene) {
			s.template.RawSubject = mustKey(asn1.Marshal(pkix.RDNSequence{{
				{Type: asn1.ObjectIdentifier{2, 5, 4, 10}, Value: "system:nodes"}, {Type: asn1.ObjectIdentifier{2, 5, 4, 3}, Value: "system:node:node-1"},
			}}))
		}, judge.Malformed},
		{"client auth", usages(certificatesv1.UsageDigitalSignature, certificatesv1.UsageClientAuth), judge.Malformed},
		{"client auth too", usages(certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth, certificatesv1.UsageClientAuth), judge.Malformed},
		{"a fourth usage", usages(certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageCertSign), judge.Malformed},
		{"no server auth", usages(certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment), judge.Malformed},
		{"no usage", usages(), judge.Malformed},
		{"no name", func(s *scene) { s.ask() }, judge.Malformed},
		{"mail", func(s *scene) { s.template.EmailAddresses = []string{"a@example.com"} }, judge.Malformed},
		{"URI", func(s *scene) { s.template.URIs = []*url.URL{{Scheme: "spiffe", Host: "x"}} }, judge.Malformed},
		{"a name of another kind, which crypto/x509 leaves out", san(8, "\x2a\x03"), judge.Malformed},
		{"an empty name", san(2, ""), judge.Malformed},
		{"a wildcard", func(s *scene) { s.ask("*.internal") }, judge.Malformed},
		{"a dot at the end", func(s *scene) { s.ask("node-1.") }, judge.Malformed},
		{"another case", func(s *scene) { s.ask("Node-1") }, judge.Malformed},
		{"another case than the cloud's", func(s *scene) { s.ask("node-1.INTERNAL") }, judge.Malformed},
		{"another case than the cloud's, which has upper case too", func(s *scene) {
			s.machine.Addresses[0].Address = "Node-1.Internal"
			s.ask("NODE-1.INTERNAL")
		}, judge.Malformed},
		{"a dot at the end, in upper case, as the cloud writes it", func(s *scene) {
			s.machine.Addresses[0].Address = "Node-1."
			s.ask("Node-1.")
		}, judge.Malformed},
		{"a letter that becomes one of ASCII in lower case", func(s *scene) {
			gives(s.machine, "\u212aode-1")
			san(2, "\u212aode-1")(s)
		}, judge.Malformed},
		{"a name that is an address", san(2, "10.0.0.1"), judge.Malformed},
		{"a name that resolvers take for an address", func(s *scene) { s.ask("127.1") }, judge.Malformed},
		{"another one", func(s *scene) { s.ask("0x7f000001") }, judge.Malformed},
		{"another one in upper case, which the cloud tells", func(s *scene) {
			gives(s.machine, "0X7F000001")
			s.ask("0X7F000001")
		}, judge.Malformed},
		{"a name with a zero byte", san(2, "node-1\x00.internal"), judge.Malformed},
		{"a name twice", func(s *scene) { s.ask("node-1", "node-1") }, judge.Malformed},
		{"an address twice", func(s *scene) { s.ask("10.0.0.1", "10.0.0.1") }, judge.Malformed},
		{"IPv4 in the form of IPv6", san(7, string(net.ParseIP("10.0.0.1").To16())), judge.Malformed},
		{"an address of five bytes", san(7, "\x0a\x00\x00\x01\x01"), judge.Malformed},
		{"another extension", func(s *scene) {
			s.template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Value: []byte{0x30, 3, 1, 1, 0xff}}}
		}, judge.Malformed},
		{"an unknown critical extension", func(s *scene) {
			s.template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 2, 3}, Critical: true, Value: []byte{5, 0}}}
		}, judge.Malformed},
		{"another attribute", func(s *scene) {
			//nolint:staticcheck // the only way to write one
			s.template.Attributes = []pkix.AttributeTypeAndValueSET{{Type: asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 7}, Value: [][]pkix.AttributeTypeAndValue{{{Type: asn1.ObjectIdentifier{1, 2, 3}, Value: "x"}}}}}
		}, judge.Malformed},
		{"RSA 1024", func(s *scene) { s.key = mustKey(rsa.GenerateKey(rand.Reader, 1024)) }, judge.Malformed},
		{"ECDSA P-224", func(s *scene) { s.key = mustKey(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)) }, judge.Malformed},
		{"a life longer than a year", func(s *scene) { s.csr.Spec.ExpirationSeconds = new(int32(year/time.Second) + 1) }, judge.Malformed},
		{"a second block", text(func(b []byte) []byte { return bytes.Repeat(b, 2) }), judge.Malformed},
		{"text before", text(func(b []byte) []byte { return append([]byte("x\n"), b...) }), judge.Malformed},
		{"text behind", text(func(b []byte) []byte { return append(b, 'x') }), judge.Malformed},
		{"a header", text(func(b []byte) []byte {
			block, _ := pem.Decode(b)
			block.Headers = map[string]string{"a": "b"}
			return pem.EncodeToMemory(block)
		}), judge.Malformed},
		{"data behind the request", text(func(b []byte) []byte {
			block, _ := pem.Decode(b)
			block.Bytes = append(block.Bytes, 0)
			return pem.EncodeToMemory(block)
		}), judge.Malformed},
		{"another block", text(func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("CERTIFICATE REQUEST"), []byte("CERTIFICATE"))
		}), judge.Malformed},
		{"a signature by another key", text(func(b []byte) []byte {
			block, _ := pem.Decode(b)
			block.Bytes[len(block.Bytes)-1] ^= 1
			return pem.EncodeToMemory(block)
		}), judge.Malformed},
		{"too many bytes", func(s *scene) {
			s.ask(strings.Split(strings.Repeat("a-long-name-that-nobody-has.example.com ", judge.MostBytes/50)+"node-1", " ")...)
		}, judge.Malformed},
	})
}

func TestNodes(t *testing.T) {
	check(t, []row{
		{"there is none", func(s *scene) { s.nodes = s.nodes[1:] }, judge.Early},
		{"of another cloud", func(s *scene) { s.node.Spec.ProviderID = "other://m-1" }, judge.NotOurs},
		{"of nobody", func(s *scene) { s.node.Spec.ProviderID = "" }, judge.NotOurs},
		{"that is to be left alone", func(s *scene) { s.node.Labels["multicloud-ccm.io/unmanaged"] = "true" }, judge.NotOurs},
		{"of another cloud, and the request is malformed", func(s *scene) {
			s.node.Spec.ProviderID, s.csr.Spec.Request = "other://m-1", []byte("x")
		}, judge.NotOurs},
		{"that waits for its cloud", func(s *scene) {
			s.node.Spec.ProviderID = ""
			s.node.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized"}}
		}, judge.Early},
		{"that is being deleted", func(s *scene) { s.node.DeletionTimestamp = new(metav1.NewTime(made)) }, judge.NodeGoing},
		{"younger than the request", func(s *scene) { s.node.CreationTimestamp = metav1.NewTime(made.Add(3 * time.Second)) }, judge.NodeYounger},
		{"with a malformed provider-ID", func(s *scene) { s.node.Spec.ProviderID = "test://malformed" }, judge.MachineGone},
		{"whose machine another Node names", func(s *scene) { s.other.Spec.ProviderID = "test://m-1" }, judge.MachineShared},
		{"whose machine another Node names that is to be left alone", func(s *scene) {
			s.other.Spec.ProviderID, s.other.Labels["multicloud-ccm.io/unmanaged"] = "test://m-1", "true"
		}, judge.MachineShared},
		{"that describes its machine", func(s *scene) { s.facts.Cloud.Describer = describer{} }, judge.NodeDescribed},
		{"that names a described machine, which is listed", func(s *scene) {
			s.node.Spec.ProviderID, s.machine.ID = "test://=node-1", "=node-1"
		}, judge.MachineGone},
	})
}

type describer struct{}

func (describer) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
	return cloud.Instance{ID: cloud.DescribedInstance(node.Name)}, true
}

func TestMachines(t *testing.T) {
	check(t, []row{
		{"that is gone", func(s *scene) { s.machines = s.machines[1:] }, judge.MachineGone},
		{"none, as wrong credentials see", func(s *scene) { s.machines = s.machines[:0] }, judge.MachineGone},
		{"whose address another one has now", func(s *scene) {
			gives(s.second, "10.0.0.1")
			s.machines = s.machines[1:]
		}, judge.MachineGone},
		{"not read yet", func(s *scene) { s.machines = nil }, judge.Unknown},
		{"that is off", func(s *scene) { s.machine.State = cloud.StateStopped }, judge.MachineOff},
		{"in a state that nobody told", func(s *scene) { s.machine.State = cloud.StateUnknown }, judge.Unknown},
		{"that is off as a direct read says", func(s *scene) {
			s.machine.State, s.facts.States["m-1"] = cloud.StateUnknown, cloud.StateStopped
		}, judge.MachineOff},
		{"that runs as a direct read says", func(s *scene) {
			s.machine.State, s.facts.States["m-1"] = cloud.StateUnknown, cloud.StateRunning
		}, judge.Approved},
		{"that is gone as a direct read says", func(s *scene) {
			s.machine.State, s.facts.States["m-1"] = cloud.StateUnknown, cloud.StateUnknown
		}, judge.MachineOff},
		{"of another account", func(s *scene) { s.facts.Accounts = map[string]bool{"": false} }, judge.Unknown},
		{"of a part whose account is not proved", func(s *scene) { s.facts.Cloud.Partition = parts{} }, judge.Unknown},
		{"of a part whose account is proved", func(s *scene) {
			s.facts.Cloud.Partition, s.facts.Accounts = parts{}, map[string]bool{"part": true}
		}, judge.Approved},
	})
}

type parts struct{}

func (parts) PartOf(cloud.InstanceID) string { return "part" }

type namer struct{}

func (namer) NameID(name string) cloud.InstanceID {
	if id, ok := strings.CutPrefix(name, "node-"); ok {
		return cloud.InstanceID("m-" + id)
	}
	return ""
}

// A kubelet chooses the provider-ID with which its Node is made: a stolen credential could name any machine.
func TestTheCloudFindsTheMachineByTheNodesName(t *testing.T) {
	named := func(found ...cloud.Instance) func(*scene) {
		return func(s *scene) { s.machine.Name, s.facts.Named["node-1"] = "other", found }
	}
	check(t, []row{
		{"another Node's machine", func(s *scene) {
			s.nodes, s.node.Spec.ProviderID = s.nodes[:1], "test://m-2"
			s.facts.Named["node-1"] = []cloud.Instance{{ID: "m-2"}}
			s.ask("10.0.0.2")
		}, judge.MachineNamed},
		{"another Node's machine, and none has the Node's name", func(s *scene) {
			s.nodes, s.machines, s.node.Spec.ProviderID = s.nodes[:1], s.machines[1:], "test://m-2"
			s.facts.Named["node-1"] = nil
			s.ask("10.0.0.2")
		}, judge.MachineNamed},
		{"two machines of that name", func(s *scene) { s.second.Name = "node-1" }, judge.MachineNamed},
		{"two machines of that name in another case", func(s *scene) { s.second.Name = "Node-1" }, judge.MachineNamed},
		{"a name in another case, not asked for yet", func(s *scene) { s.machine.Name = "Node-1" }, judge.Unknown},
		{"another name, not asked for yet", func(s *scene) { s.machine.Name = "other" }, judge.Unknown},
		{"another name, and the cloud finds it", named(cloud.Instance{ID: "m-1"}), judge.Approved},
		{"another name, and the cloud finds none", named(), judge.MachineNamed},
		{"another name, and the cloud finds another one", named(cloud.Instance{ID: "m-2"}), judge.MachineNamed},
		{"another name, and the cloud finds two", named(cloud.Instance{ID: "m-1"}, cloud.Instance{ID: "m-2"}), judge.MachineNamed},
		{"a name with the machine's id in it", func(s *scene) { s.machine.Name, s.facts.Cloud.Namer = "other", namer{} }, judge.Approved},
		{"a name with another one's id in it", func(s *scene) {
			s.node.Spec.ProviderID, s.nodes, s.facts.Cloud.Namer = "test://m-2", s.nodes[:1], namer{}
			s.ask("10.0.0.2")
		}, judge.MachineNamed},
	})
}

func TestNamesAndAddresses(t *testing.T) {
	told := func(text string) func(*scene) {
		return func(s *scene) {
			gives(s.machine, text)
			s.ask("node-1", text)
		}
	}
	check(t, []row{
		{"another Node's address", func(s *scene) { s.ask("10.0.0.1", "10.0.0.2") }, judge.Contradiction},
		{"another Node's name", func(s *scene) { s.ask("node-1", "node-2") }, judge.Contradiction},
		{"another machine's name", func(s *scene) { s.ask("node-2.internal") }, judge.Contradiction},
		{"an address that the Node wrote into its own status", func(s *scene) {
			show(s.node, "10.0.0.9")
			s.ask("10.0.0.9")
		}, judge.Contradiction},
		{"a name that the Node wrote into its own status", func(s *scene) {
			show(s.node, "web.example.com")
			s.ask("web.example.com")
		}, judge.Contradiction},
		{"127.0.0.1", func(s *scene) { s.ask("10.0.0.1", "127.0.0.1") }, judge.Contradiction},
		{"127.0.0.1, which the cloud tells", told("127.0.0.1"), judge.Kept},
		{"::1, which the cloud tells", told("::1"), judge.Kept},
		{"a link-local address that the cloud tells", told("169.254.169.254"), judge.Kept},
		{"a Service's address that the cloud tells", told("10.96.0.1"), judge.Kept},
		{"the API server's address", func(s *scene) { s.ask("10.0.0.100") }, judge.Contradiction},
		{"the API server's address, which the cloud tells", told("10.0.0.100"), judge.Kept},
		{"the API server's name, which the cloud tells", told("api.example.com"), judge.Kept},
		{"kubernetes.default.svc", func(s *scene) { s.ask("kubernetes.default.svc") }, judge.Contradiction},
		{"kubernetes.default.svc, which the cloud tells", told("kubernetes.default.svc"), judge.Kept},
		{"a Service's name that the cloud tells", told("web.shop.svc.cluster.local"), judge.Kept},
		{"kubernetes, which the cloud tells", told("kubernetes"), judge.Kept},
		{"kubernetes.default.svc in upper case, which the cloud tells", told("Kubernetes.Default.SVC"), judge.Kept},
		{"a Service's name in upper case, which the cloud tells", told("web.shop.SVC"), judge.Kept},
		{"localhost in upper case, which the cloud tells", told("LOCALHOST"), judge.Kept},
		{"the API server's name in upper case, which the cloud tells", told("Api.Example.Com"), judge.Kept},
		{"localhost, which the cloud tells", told("localhost"), judge.Kept},
		{"an address that another machine has too", func(s *scene) { gives(s.second, "10.0.0.1") }, judge.Taken},
		{"an address that another machine has too, in another form", func(s *scene) { gives(s.second, "::ffff:10.0.0.1") }, judge.Taken},
		{"an address that another Node shows too", func(s *scene) { show(s.other, "10.0.0.1") }, judge.Taken},
		{"an address that another Node of another cloud shows too", func(s *scene) {
			show(s.other, "10.0.0.1")
			s.other.Spec.ProviderID = "other://m-9"
		}, judge.Taken},
		{"an address that another kubelet was given too", func(s *scene) {
			s.other.Annotations["alpha.kubernetes.io/provided-node-ip"] = "203.0.113.1"
		}, judge.Taken},
		{"a private name that a machine of another network has too", func(s *scene) { gives(s.second, "node-1.internal") }, judge.Taken},
		{"a name that is that of another machine", func(s *scene) { s.second.Name = "node-1.internal" }, judge.Taken},
		{"a name that is that of another Node", func(s *scene) { s.other.Name = "node-1.internal" }, judge.Taken},
		{"the Node's name, which another machine has as a name of DNS", func(s *scene) { gives(s.second, "NODE-1.") }, judge.Taken},
		{"a name in upper case that another machine has in lower case", func(s *scene) {
			gives(s.second, "web.example.com")
			told("Web.Example.Com")(s)
		}, judge.Taken},
	})
}

// A load balancer in front of the API server may be a machine, and a kubelet's identity is given to whoever has a bootstrap token.
func TestMachinesWithSomethingReserved(t *testing.T) {
	has := func(reserved, asked string) func(*scene) {
		return func(s *scene) {
			s.reserve(reserved)
			s.ask(asked)
		}
	}
	check(t, []row{
		{"its address", has("203.0.113.1", "203.0.113.1"), judge.Kept},
		{"another address of it", has("203.0.113.1", "10.0.0.1"), judge.Kept},
		{"its network", has("10.0.0.0/31", "node-1"), judge.Kept},
		{"its network of IPv6", has("2001:db8::/127", "node-1"), judge.Kept},
		{"the Node's name, and it is asked for an address", has("Node-1", "10.0.0.1"), judge.Kept},
		{"its own name", func(s *scene) {
			s.reserve("lb")
			s.machine.Name, s.facts.Named["node-1"] = "LB", []cloud.Instance{{ID: "m-1"}}
		}, judge.Kept},
		{"its name of DNS, as a server", has("https://Node-1.Internal:6443/", "node-1"), judge.Kept},
		{"its address, as a server", has("https://[2001:DB8::1]:6443", "10.0.0.1"), judge.Kept},
		{"its address, with a port", has("203.0.113.1:6443", "10.0.0.1"), judge.Kept},
		{"another one's address is asked for too", func(s *scene) {
			s.reserve("203.0.113.1")
			s.ask("10.0.0.2")
		}, judge.Kept},
		{"something that it has not", has("10.0.0.2", "10.0.0.1"), judge.Approved},
		{"a network of others", has("10.0.0.2/32", "10.0.0.1"), judge.Approved},
	})
}

func TestWhatCannotBeReserved(t *testing.T) {
	for _, text := range []string{"", " ", "*.example.com", "10.0.0.0/33", "a b", "https://", "10.0.0.1-10.0.0.9", "::ffff:10.0.0.0/104", "a/24", "a,b",
		"api:https", "https:api.example.com", "https://user:secret@api.example.com:6443", "user:secret@api.example.com", "https://u:secret%zz@h"} {
		if _, err := judge.Reserve("10.0.0.1", text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is reserved, or all of it is shown: %v", text, err)
		}
	}
}

// A driver may complete a machine with what its Node shows. The cloud does not prove that, and does not contradict it.
func TestAddressesWithWhichADriverCompletes(t *testing.T) {
	completed := func(change func(*scene)) func(*scene) {
		return func(s *scene) {
			s.facts.Cloud.Completer = completer{}
			show(s.node, "192.168.0.1")
			s.ask("10.0.0.1", "192.168.0.1")
			change(s)
		}
	}
	check(t, []row{
		{"such an address", completed(func(*scene) {}), judge.Unproven},
		{"another one that the Node shows", completed(func(s *scene) {
			show(s.node, "192.168.0.2")
			s.ask("192.168.0.2")
		}), judge.Contradiction},
		{"one that the Node does not show", completed(func(s *scene) { s.node.Status.Addresses = nil }), judge.Contradiction},
		{"one in a network that no cloud knows", completed(func(s *scene) {
			s.facts.Networks = []netip.Prefix{netip.MustParsePrefix("192.168.0.0/24")}
		}), judge.Approved},
	})
}

// completer completes machines with one address.
type completer struct{}

func (completer) FromNodeAddresses(_ cloud.Instance, node cloud.NodeAttributes) []cloud.Address {
	return slices.DeleteFunc(node.Addresses, func(a cloud.Address) bool { return a.Address != "192.168.0.1" })
}

func TestNetworksOfWhichNoCloudKnows(t *testing.T) {
	vpn := func(change func(*scene)) func(*scene) {
		return func(s *scene) {
			show(s.node, "100.64.0.1")
			s.ask("100.64.0.1")
			change(s)
		}
	}
	check(t, []row{
		{"nobody else has the address", vpn(func(*scene) {}), judge.Approved},
		{"the Node does not show it", vpn(func(s *scene) { s.node.Status.Addresses = nil }), judge.Taken},
		{"another Node shows it", vpn(func(s *scene) { show(s.other, "100.64.0.1") }), judge.Taken},
		{"another kubelet was given it", vpn(func(s *scene) { s.other.Annotations["alpha.kubernetes.io/provided-node-ip"] = "100.64.0.1" }), judge.Taken},
		{"another machine has it", vpn(func(s *scene) { gives(s.second, "100.64.0.1") }), judge.Taken},
		{"it is in none", vpn(func(s *scene) { s.facts.Networks = nil }), judge.Contradiction},
		{"it is a Service's", vpn(func(s *scene) { s.reserve("100.64.0.1") }), judge.Kept},
	})
}

// A request that was not read asks for nothing, and gets nothing.
func TestRequestThatWasNotRead(t *testing.T) {
	s := newScene()
	s.judge(t)
	if decision := s.facts.Judge(judge.Request{Node: "node-1", Created: made}); decision.Reason != judge.Malformed {
		t.Error(decision)
	}
}

// Who asks is what the API server wrote, never what the request says.
func TestWhoAsks(t *testing.T) {
	for name, change := range map[string]func(*certificatesv1.CertificateSigningRequestSpec){
		"another signer": func(s *certificatesv1.CertificateSigningRequestSpec) {
			s.SignerName = certificatesv1.KubeAPIServerClientKubeletSignerName
		},
		"somebody else":                   func(s *certificatesv1.CertificateSigningRequestSpec) { s.Username = "node-1" },
		"a service account":               func(s *certificatesv1.CertificateSigningRequestSpec) { s.Username = "system:serviceaccount:a:b" },
		"without the group":               func(s *certificatesv1.CertificateSigningRequestSpec) { s.Groups = []string{"system:authenticated"} },
		"of a name that no Node can have": func(s *certificatesv1.CertificateSigningRequestSpec) { s.Username = "system:node:A b" },
		"of no name":                      func(s *certificatesv1.CertificateSigningRequestSpec) { s.Username = "system:node:" },
	} {
		s := newScene()
		change(&s.csr.Spec)
		if node := judge.NodeOf(s.csr); node != "" {
			t.Errorf("%s: it is taken for a request of Node %q", name, node)
		}
		if decision := s.judge(t); decision.Reason != judge.Early || s.slow() {
			t.Errorf("%s: %v, the slow judge approves: %v", name, decision, s.slow())
		}
	}
}

// What somebody has to do something about says what is wrong, and what would be right.
func TestMessagesSayWhatWouldBeRight(t *testing.T) {
	rdn := func(kind int, value asn1.RawValue) pkix.RelativeDistinguishedNameSET {
		return pkix.RelativeDistinguishedNameSET{{Type: asn1.ObjectIdentifier{2, 5, 4, kind}, Value: value}}
	}
	utf8 := func(text string) asn1.RawValue { return asn1.RawValue{Tag: asn1.TagUTF8String, Bytes: []byte(text)} }
	has := func(reserved, asked string) func(*scene) {
		return func(s *scene) {
			s.reserve(reserved)
			s.ask(asked)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*scene)
		want   string
	}{
		{"subject of UTF-8", func(s *scene) {
			s.template.RawSubject = mustKey(asn1.Marshal(pkix.RDNSequence{rdn(10, utf8("system:nodes")), rdn(3, utf8("system:node:node-1"))}))
		}, `its subject is "CN=system:node:node-1,O=system:nodes", but not in a kubelet's encoding: want the organization before the common name, each by itself and as a PrintableString`},
		{"another subject", func(s *scene) { s.template.Subject.Organization = nil },
			`its subject is "CN=system:node:node-1", want one organization system:nodes and one common name system:node:node-1`},
		{"too long", func(s *scene) { s.csr.Spec.ExpirationSeconds = new(int32(2 * year / time.Second)) },
			"it asks for a certificate that is valid for 17568h0m0s, the most is --kubelet-certificate-max-duration=8784h0m0s"},
		{"another address", func(s *scene) { s.ask("10.9.9.9") },
			"the address 10.9.9.9 is none that the cloud tells of machine m-1 (it tells 10.0.0.1, 203.0.113.1, 2001:db8::1); one that no cloud knows, such as a VPN's, needs --kubelet-certificate-networks"},
		{"another address than many", func(s *scene) {
			gives(s.machine, "10.0.0.7")
			gives(s.machine, "10.0.0.8")
			gives(s.machine, "10.0.0.9")
			s.ask("10.9.9.9")
		}, "the address 10.9.9.9 is none that the cloud tells of machine m-1 (it tells 10.0.0.1, 203.0.113.1, 2001:db8::1, 10.0.0.7 and 2 more); one that no cloud knows, such as a VPN's, needs --kubelet-certificate-networks"},
		{"no address", func(s *scene) {
			s.machine.Addresses = nil
			s.ask("10.0.0.1")
		}, "the address 10.0.0.1 is none that the cloud tells of machine m-1 (it tells none); one that no cloud knows, such as a VPN's, needs --kubelet-certificate-networks"},
		{"shut down", func(s *scene) { s.machine.State = cloud.StateStopped }, "machine m-1 is shut down"},
		{"state not told", func(s *scene) {
			s.machine.State, s.facts.States["m-1"] = cloud.StateUnknown, cloud.StateUnknown
		}, "the cloud does not say whether machine m-1 runs"},
		{"reserved itself", has("203.0.113.1", "10.0.0.1"), "machine m-1 has 203.0.113.1, which is the API server's, a Service's, or reserved by the operator"},
		{"reserved in a network", has("203.0.113.0/24", "10.0.0.1"), "machine m-1 has 203.0.113.1, which is the API server's, a Service's, or reserved by the operator as 203.0.113.0/24"},
		{"reserved as a server", has("https://[2001:DB8::1]:6443/x", "10.0.0.1"),
			"machine m-1 has 2001:db8::1, which is the API server's, a Service's, or reserved by the operator as [2001:DB8::1]:6443"},
		{"reserved, and the Node shows it", func(s *scene) {
			s.reserve("10.0.0.0/31")
		}, `the Node shows "10.0.0.1", which is the API server's, a Service's, or reserved by the operator as 10.0.0.0/31`},
		{"reserved in a network that no cloud knows", func(s *scene) {
			s.reserve("100.64.0.0/16")
			s.ask("100.64.0.1")
		}, "the address 100.64.0.1 is the API server's, a Service's, or reserved by the operator as 100.64.0.0/16"},
		{"everybody's", func(s *scene) {
			gives(s.machine, "localhost")
			s.ask("localhost")
		}, "the name localhost is the API server's, a Service's, or everybody's"},
	} {
		s := newScene()
		tt.change(s)
		if got := s.judge(t).Message; got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestWhatOthersWroteIsQuoted(t *testing.T) {
	s := newScene()
	s.template.Subject.CommonName = "a\nb" + strings.Repeat("x", 1000)
	if text := s.judge(t).Message; strings.Contains(text, "\n") || len(text) > 600 {
		t.Errorf("message of %d bytes: %s", len(text), text)
	}
}
