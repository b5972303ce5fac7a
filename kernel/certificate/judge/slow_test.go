package judge_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// slow is a second judge: it says whether a request is approved. It reads the bytes of the request by itself, looks at each Node and machine
// for each question, and has no reasons.
func (s *scene) slow() bool {
	names, ips, ok := s.slowRequest()
	if !ok {
		return false
	}
	node, machine := s.slowNode(), (*cloud.Instance)(nil)
	if node == nil || slices.ContainsFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return s.isReserved(a.Address) }) {
		return false
	}
	for _, m := range s.machines {
		if "test://"+string(m.ID) == node.Spec.ProviderID {
			machine = m
		}
	}
	if machine == nil || !s.slowMachine(node, machine) || slices.ContainsFunc(append(slowTexts(machine), node.Name, machine.Name), s.isReserved) {
		return false
	}
	for _, name := range names {
		exact := slices.ContainsFunc(machine.Addresses, func(a cloud.Address) bool { return a.Address == name })
		if name != node.Name && !exact && !slices.Contains(slowTexts(machine), name) || s.slowReserved(slowText(name)) || s.slowTaken(node, machine, slowText(name)) {
			return false
		}
	}
	for _, ip := range ips {
		told := slices.Contains(slowTexts(machine), ip.String())
		shown := slices.ContainsFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return slowText(a.Address) == ip.String() })
		inside := slices.ContainsFunc(s.facts.Networks, func(p netip.Prefix) bool { return p.Contains(ip) })
		if !told && (!inside || !shown) || s.slowTaken(node, machine, ip.String()) || s.isReserved(ip.String()) {
			return false
		}
		if ip.IsLoopback() || ip.IsUnspecified() || ip.IsMulticast() || ip.IsLinkLocalUnicast() {
			return false
		}
	}
	return true
}

var (
	hostName = regexp.MustCompile(`^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$`)
	number   = regexp.MustCompile(`(^|\.)([0-9]+|0[xX][^.]*)$`)
)

// slowRequest returns what a request asks for.
func (s *scene) slowRequest() (names []string, ips []netip.Addr, ok bool) {
	spec := s.csr.Spec
	block, rest := pem.Decode(spec.Request)
	if block == nil || len(rest) > 0 || !strings.HasPrefix(string(spec.Request), "-----BEGIN CERTIFICATE REQUEST-----\n") || len(block.Headers) > 0 {
		return nil, nil, false
	}
	var parts struct {
		Signed struct {
			Raw        asn1.RawContent
			Version    int
			Subject    []asn1.RawValue
			Key        asn1.RawValue
			Attributes []asn1.RawValue `asn1:"tag:0"`
		}
		Algorithm asn1.RawValue
		Signature asn1.BitString
	}
	rest, err := asn1.Unmarshal(block.Bytes, &parts)
	parsed, failed := x509.ParseCertificateRequest(block.Bytes)
	if err != nil || failed != nil || len(rest) > 0 || parts.Signed.Version != 0 || parsed.CheckSignature() != nil || !slowKey(parsed.PublicKey) {
		return nil, nil, false
	}
	if !slowSubject(parts.Signed.Subject, spec.Username) || !slowSpec(spec) || len(parts.Signed.Attributes) != 1 {
		return nil, nil, false
	}
	return slowNames(parts.Signed.Attributes[0].FullBytes)
}

func slowSpec(spec certificatesv1.CertificateSigningRequestSpec) bool {
	count := map[certificatesv1.KeyUsage]int{}
	for _, usage := range spec.Usages {
		count[usage]++
	}
	if count["digital signature"] != 1 || count["server auth"] != 1 || count["key encipherment"] > 1 || len(spec.Usages) != 2+count["key encipherment"] {
		return false
	}
	if s := spec.ExpirationSeconds; s != nil && (*s < 0 || int64(*s) > int64(year/time.Second)) {
		return false
	}
	return spec.SignerName == "kubernetes.io/kubelet-serving" && slices.Contains(spec.Groups, "system:nodes")
}

func slowKey(key any) bool {
	switch k := key.(type) {
	case *rsa.PublicKey:
		return k.N.BitLen() >= 2048
	case *ecdsa.PublicKey:
		return k.Curve.Params().BitSize >= 256
	case ed25519.PublicKey:
		return true
	}
	return false
}

// slowSubject wants two sets of one attribute each.
func slowSubject(sets []asn1.RawValue, user string) bool {
	left := map[string]string{"2.5.4.3": user, "2.5.4.10": "system:nodes"}
	for _, set := range sets {
		var part struct {
			ID    asn1.ObjectIdentifier
			Value string
		}
		if rest, err := asn1.Unmarshal(set.Bytes, &part); err != nil || len(rest) > 0 || part.Value == "" || left[part.ID.String()] != part.Value {
			return false
		}
		delete(left, part.ID.String())
	}
	return len(left) == 0
}

// slowNames wants one attribute with one extension, of names and addresses.
func slowNames(der []byte) (names []string, ips []netip.Addr, ok bool) {
	type extension struct {
		ID    asn1.ObjectIdentifier
		Value []byte // one that is critical cannot be read into this
	}
	var attribute struct {
		ID         asn1.ObjectIdentifier
		Extensions [][]extension `asn1:"set"`
	}
	rest, err := asn1.Unmarshal(der, &attribute)
	if err != nil || len(rest) > 0 || attribute.ID.String() != "1.2.840.113549.1.9.14" || len(attribute.Extensions) != 1 ||
		len(attribute.Extensions[0]) != 1 || attribute.Extensions[0][0].ID.String() != "2.5.29.17" {
		return nil, nil, false
	}
	var general []asn1.RawValue
	if rest, err := asn1.Unmarshal(attribute.Extensions[0][0].Value, &general); err != nil || len(rest) > 0 {
		return nil, nil, false
	}
	seen := map[string]bool{}
	for _, g := range general {
		if g.Class != 2 || g.IsCompound || seen[string(g.FullBytes)] {
			return nil, nil, false
		}
		seen[string(g.FullBytes)] = true
		switch text := string(g.Bytes); {
		case g.Tag == 2 && len(ips) == 0 && hostName.MatchString(text) && len(text) <= 253 && !number.MatchString(text):
			names = append(names, text)
		case g.Tag == 7 && (len(text) == 4 || len(text) == 16 && net.IP(text).To4() == nil):
			ip, _ := netip.AddrFromSlice(g.Bytes)
			ips = append(ips, ip)
		default:
			return nil, nil, false
		}
	}
	return names, ips, len(general) > 0
}

// slowNode returns the Node that may have a certificate.
func (s *scene) slowNode() *corev1.Node {
	for _, node := range s.nodes {
		id, of := strings.CutPrefix(node.Spec.ProviderID, "test://")
		if "system:node:"+node.Name != s.csr.Spec.Username || !of || id == "malformed" || strings.HasPrefix(id, "=") || node.DeletionTimestamp != nil ||
			node.Labels["multicloud-ccm.io/unmanaged"] == "true" || s.facts.Cloud.Describer != nil ||
			node.CreationTimestamp.Unix() > s.csr.CreationTimestamp.Unix()+2 {
			continue
		}
		if !slices.ContainsFunc(s.nodes, func(n *corev1.Node) bool { return n != node && n.Spec.ProviderID == node.Spec.ProviderID }) {
			return node
		}
	}
	return nil
}

func (s *scene) slowMachine(node *corev1.Node, machine *cloud.Instance) bool {
	state, part := machine.State, ""
	if state == "" {
		state = s.facts.States[machine.ID]
	}
	if s.facts.Cloud.Partition != nil {
		part = s.facts.Cloud.Partition.PartOf(machine.ID)
	}
	if !s.facts.Accounts[part] || state != cloud.StateRunning && state != cloud.StatePending {
		return false
	}
	if s.facts.Cloud.Namer != nil {
		if id := s.facts.Cloud.Namer.NameID(node.Name); id != "" {
			return id == machine.ID
		}
	}
	for _, m := range s.machines {
		if m != machine && slowText(m.Name) == slowText(node.Name) {
			return false
		}
	}
	found := s.facts.Named[node.Name]
	return machine.Name == node.Name || len(found) == 1 && found[0].ID == machine.ID
}

func (s *scene) slowReserved(name string) bool {
	labels := strings.Split(name, ".")
	return s.isReserved(name) || labels[0] == "kubernetes" || slices.Contains(labels[1:], "svc") || name == "svc" ||
		labels[0] == "localhost" || labels[len(labels)-1] == "localhost"
}

// slowTaken reports whether anybody else has a name or an address.
func (s *scene) slowTaken(node *corev1.Node, machine *cloud.Instance, text string) bool {
	for _, m := range s.machines {
		if m.ID != machine.ID && (slowText(m.Name) == text || slices.Contains(slowTexts(m), text)) {
			return true
		}
	}
	for _, n := range s.nodes {
		all := []string{n.Name}
		if given := n.Annotations["alpha.kubernetes.io/provided-node-ip"]; net.ParseIP(given) != nil {
			all = append(all, given)
		}
		for _, a := range n.Status.Addresses {
			all = append(all, a.Address)
		}
		if n.Name != node.Name && slices.ContainsFunc(all, func(a string) bool { return slowText(a) == text }) {
			return true
		}
	}
	return false
}

func slowTexts(m *cloud.Instance) []string {
	var all []string
	for _, a := range m.Addresses {
		all = append(all, slowText(a.Address))
	}
	return all
}

// slowText is the usual form of a name or an address.
func slowText(text string) string {
	if ip := net.ParseIP(text); ip != nil {
		return ip.String()
	}
	return strings.TrimSuffix(strings.ToLower(text), ".")
}
