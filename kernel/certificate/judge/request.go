// Package judge says whether a kubelet may have the serving certificate that it asks for. It neither reads nor writes: it says which
// fact is missing, and is asked again.
package judge

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Bounds of a request. What is larger is refused before it is parsed.
const (
	// MostBytes are those of the PKCS#10 request: some hundred names.
	MostBytes = 8 << 10
	// mostRSA bounds what it costs to check a signature.
	leastRSA, mostRSA = 2048, 8192
)

const (
	userPrefix = "system:node:"
	group      = "system:nodes"
)

// Groups are those of a kubelet that count.
var Groups = []string{group}

// LeastLife is the shortest life of a certificate that the API server lets anybody ask for, see spec.expirationSeconds.
const LeastLife = 10 * time.Minute

// Request is what a kubelet asks for.
type Request struct {
	// Node is the name of its Node, as the API server knows the requester.
	Node      string
	Created   time.Time
	Names     []string
	Addresses []netip.Addr
	// Problem says why no kubelet makes such a request, nil where one does.
	Problem error
}

// NodeOf returns the name of the Node whose kubelet asks for a serving certificate, "" for every other request. What the API server
// wrote about the requester counts.
func NodeOf(csr *certificatesv1.CertificateSigningRequest) string {
	node, is := strings.CutPrefix(csr.Spec.Username, userPrefix)
	if !is || csr.Spec.SignerName != certificatesv1.KubeletServingSignerName || !slices.Contains(csr.Spec.Groups, group) ||
		len(validation.IsDNS1123Subdomain(node)) > 0 {
		return ""
	}
	return node
}

// Open reports whether nobody has decided about a request yet.
func Open(csr *certificatesv1.CertificateSigningRequest) bool {
	return len(csr.Status.Certificate) == 0 && len(csr.Status.Conditions) == 0
}

// Read reads a request. most is the longest life of a certificate that may be asked for.
func Read(csr *certificatesv1.CertificateSigningRequest, most time.Duration) Request {
	r := Request{Node: NodeOf(csr), Created: csr.CreationTimestamp.Time}
	r.Problem = r.read(csr, most)
	return r
}

func (r *Request) read(csr *certificatesv1.CertificateSigningRequest, most time.Duration) error {
	if len(csr.Spec.Request) > MostBytes {
		return fmt.Errorf("the request has more than %d bytes", MostBytes)
	}
	if err := checkUsages(csr.Spec.Usages); err != nil {
		return err
	}
	if s := csr.Spec.ExpirationSeconds; s != nil {
		if life := time.Duration(*s) * time.Second; life < 0 || life > most {
			return fmt.Errorf("it asks for a certificate that is valid for %v, the most is --kubelet-certificate-max-duration=%v", life, most)
		}
	}
	parsed, err := parse(csr.Spec.Request)
	if err == nil {
		err = checkForm(parsed, csr.Spec.Username)
	}
	if err != nil {
		return err
	}
	return r.alternatives(parsed)
}

// checkUsages wants digital signature and server auth, with or without key encipherment.
func checkUsages(usages []certificatesv1.KeyUsage) error {
	asked := slices.Sorted(slices.Values(usages))
	if len(asked) == 3 && asked[1] == certificatesv1.UsageKeyEncipherment {
		asked = slices.Delete(asked, 1, 2)
	}
	if !slices.Equal(asked, []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageServerAuth}) {
		return fmt.Errorf("its usages are %s, want digital signature and server auth, with key encipherment or without", quoted(fmt.Sprint(usages)))
	}
	return nil
}

// parse decodes one block of PEM with a request of PKCS#10 that its own key signed.
func parse(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" || !bytes.Equal(pem.EncodeToMemory(block), text) || len(block.Headers) > 0 {
		return nil, errors.New("it is not one block of PEM, CERTIFICATE REQUEST, with nothing around it")
	}
	parsed, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("it is no request of PKCS#10: %s", quoted(err.Error()))
	}
	if err := checkKey(parsed.PublicKey); err != nil {
		return nil, err
	}
	if err := parsed.CheckSignature(); err != nil {
		return nil, fmt.Errorf("its signature is not by its key: %s", quoted(err.Error()))
	}
	return parsed, nil
}

func checkKey(key any) error {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits < leastRSA || bits > mostRSA {
			return fmt.Errorf("its key is RSA of %d bits, want %d to %d", bits, leastRSA, mostRSA)
		}
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() && k.Curve != elliptic.P384() && k.Curve != elliptic.P521() {
			return fmt.Errorf("its key is on the curve %s, want P-256, P-384 or P-521", k.Curve.Params().Name)
		}
	case ed25519.PublicKey:
	default:
		return fmt.Errorf("its key is a %T, want RSA, ECDSA or Ed25519", key)
	}
	return nil
}

// stamp is a key that is no secret.
var stamp = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

// checkForm wants a request as a kubelet writes it, byte by byte but for its key and signature: the user as the only common name, one
// organization, and nothing beside these but names of DNS and then addresses. crypto/x509 leaves out what it does not know when it reads.
func checkForm(parsed *x509.CertificateRequest, user string) error {
	usual := &x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: user, Organization: []string{group}},
		DNSNames: parsed.DNSNames, IPAddresses: parsed.IPAddresses,
	}
	der, err := x509.CreateCertificateRequest(nil, usual, stamp)
	if err == nil {
		usual, err = x509.ParseCertificateRequest(der)
	}
	if err != nil {
		return fmt.Errorf("nobody writes such a request: %s", quoted(err.Error()))
	}
	if !bytes.Equal(parsed.RawSubject, usual.RawSubject) {
		if parsed.Subject.String() == usual.Subject.String() {
			return fmt.Errorf("its subject is %s, but not in a kubelet's encoding: want the organization before the common name, each by itself and as a PrintableString",
				quoted(parsed.Subject.String()))
		}
		return fmt.Errorf("its subject is %s, want one organization %s and one common name %s", quoted(parsed.Subject.String()), group, user)
	}
	_, attributes, _ := bytes.Cut(parsed.RawTBSCertificateRequest, parsed.RawSubjectPublicKeyInfo)
	if _, want, _ := bytes.Cut(usual.RawTBSCertificateRequest, usual.RawSubjectPublicKeyInfo); parsed.Version != 0 || !bytes.Equal(attributes, want) {
		return errors.New("it has other attributes, extensions or alternative names than names of DNS and addresses, in this order")
	}
	return nil
}

// alternatives takes over the subject alternative names. Each has its one usual form, and is there once.
func (r *Request) alternatives(parsed *x509.CertificateRequest) error {
	seen := map[string]bool{}
	for _, name := range parsed.DNSNames {
		if err := checkName(name); err != nil {
			return err
		}
		r.Names = append(r.Names, name)
		seen[name] = true
	}
	for _, ip := range parsed.IPAddresses {
		address, _ := netip.AddrFromSlice(ip) // of 4 or 16 bytes
		r.Addresses = append(r.Addresses, address)
		seen[address.String()] = true
	}
	if len(seen) < len(r.Names)+len(r.Addresses) {
		return errors.New("it asks for the same name or address twice")
	}
	return nil
}

// checkName wants a name of DNS that no resolver takes for an address.
func checkName(name string) error {
	lower := strings.ToLower(name)
	if len(validation.IsDNS1123Subdomain(lower)) > 0 {
		return fmt.Errorf("it asks for %s, which is no host name without a dot at its end", quoted(name))
	}
	last := lower[strings.LastIndexByte(lower, '.')+1:]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return fmt.Errorf("it asks for the name %s, which is a number", quoted(name))
	}
	return nil
}

// quoted is a text of somebody else for a message.
func quoted(text string) string { return strconv.Quote(cloud.Shorten(text, cloud.MostOfValue)) }
