package digitalocean_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// served waits until port 443 has the certificate.
func (s *service) served(id string) do.Balancer {
	s.t.Helper()
	return s.balancer(func(b *do.Balancer) error {
		for _, r := range b.ForwardingRules {
			if r.EntryPort == 443 {
				return same(r.EntryProtocol+" "+r.CertificateID, "https "+id)
			}
		}
		return fmt.Errorf("port 443 has no rule")
	})
}

// TestRotation: DigitalOcean renews a Let's Encrypt certificate by one with another id and
// the same name, and puts it on the balancer. The annotation follows, the balancer stays.
func TestRotation(t *testing.T) {
	parallel(t)
	first := env.Cloud.Certificates.Add(fmt.Sprintf("le-%d", serial.Add(1)), do.CertificateLetsEncrypt, "le.example.com")
	s := create(t, regional("certificate-id", first.ID))
	before := s.served(first.ID)
	s.ready()
	second, err := env.Cloud.Certificates.Rotate(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	before = *find(env.Cloud.State(), before.ID)
	n := len(changesOf(before))
	s.touch()
	s.await(func(svc *corev1.Service) error { return same(svc.Annotations[upstream+"certificate-id"], second.ID) })
	after := s.served(second.ID)
	if summary(after) != summary(before) || len(changesOf(before)) != n {
		t.Errorf("the rotation cost changes: %v", changesOf(before)[n:])
	}

	// A certificate that the user chose is installed, rotation or not.
	s.annotate(map[string]string{upstream + "certificate-id": certificate.ID})
	s.served(certificate.ID)
	s.await(func(svc *corev1.Service) error {
		return same(svc.Annotations[upstream+"certificate-id"], certificate.ID)
	})
}

// TestRotationByName: the name leads to the new certificate, and nothing is written.
func TestRotationByName(t *testing.T) {
	parallel(t)
	first := env.Cloud.Certificates.Add(fmt.Sprintf("le-%d", serial.Add(1)), do.CertificateLetsEncrypt, "le.example.com")
	s := create(t, regional("certificate-name", first.Name))
	b := s.served(first.ID)
	s.ready()
	second, err := env.Cloud.Certificates.Rotate(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	n := len(changesOf(b))
	s.touch()
	s.annotate(map[string]string{upstream + "deny-rules": "ip:192.0.2.9"})
	s.balancer(func(b *do.Balancer) error { return same(refused(b), "ip:192.0.2.9") })
	s.served(second.ID)
	if changes := changesOf(b); len(changes) != n+1 {
		t.Errorf("changes besides the one asked for: %v", changes[n:])
	}
	if _, ok := s.get().Annotations[upstream+"certificate-id"]; ok {
		t.Error("an id was recorded beside the name")
	}
}

// TestIDBeforeName: of the two ways to name a certificate the id wins.
func TestIDBeforeName(t *testing.T) {
	parallel(t)
	other := env.Cloud.Certificates.Add(fmt.Sprintf("custom-%d", serial.Add(1)), do.CertificateCustom, "other.example.com")
	s := create(t, regional("certificate-id", other.ID, "certificate-name", certificate.Name))
	s.served(other.ID)
	s.unset(upstream + "certificate-id")
	s.served(certificate.ID)
}

// TestMissingCertificate: a balancer with a certificate that is gone keeps it until there is
// another; a new one waits, and says for what.
func TestMissingCertificate(t *testing.T) {
	parallel(t)
	wanted := fmt.Sprintf("later-%d", serial.Add(1))
	s := create(t, regional("certificate-name", wanted))
	s.event("InvalidConfiguration", upstream+"certificate-name", wanted, "no certificate of that name")
	if own := s.balancersIn(env.Cloud.State()); len(own) > 0 {
		t.Errorf("a balancer was created without its certificate: %+v", own)
	}
	made := env.Cloud.Certificates.Add(wanted, do.CertificateCustom, "later.example.com")
	s.touch()
	s.served(made.ID)
}
