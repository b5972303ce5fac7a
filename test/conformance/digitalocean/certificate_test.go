package digitalocean_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

const (
	certificates    = "GET /v2/certificates"
	readCertificate = "GET /v2/certificates/{id}"
)

func (l *lab) certificate(name string) string {
	l.Helper()
	for _, c := range l.server.State().Certificates {
		if c.Name == name {
			return c.ID
		}
	}
	l.Fatalf("no certificate %q", name)
	return ""
}

// withCertificate returns a lab whose balancer has the certificate.
func withCertificate(t *testing.T, key, value string) *lab {
	t.Helper()
	l := newLab(t, 1, nil, map[string]string{"type": "REGIONAL"})
	if key == "certificate-id" {
		value = l.certificate(value)
	}
	l.annotate(map[string]string{"type": "REGIONAL", key: value})
	l.ensure()
	return l
}

func TestCertificateRequests(t *testing.T) {
	l := withCertificate(t, "certificate-id", "encrypt")
	wantRequests(t, "by id", l.ensure(), read)
	l = withCertificate(t, "certificate-name", "encrypt")
	wantRequests(t, "by name", l.ensure(), read, certificates)
	l = newLab(t, 1, nil, map[string]string{"certificate-name": "nowhere"})
	wantRequests(t, "a network balancer has none", l.ensure(), list, create)
}

func TestCertificateRotation(t *testing.T) {
	l := withCertificate(t, "certificate-id", "encrypt")
	rotated, err := l.server.Certificates.Rotate(l.certificate("encrypt"))
	l.must(err)
	wantRequests(t, "rotated by the cloud", l.ensure(), read, readCertificate, readCertificate)
	if diff := cmp.Diff(map[string]string{upstream + "certificate-id": rotated.ID}, l.observe().Record); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}

	l = withCertificate(t, "certificate-name", "encrypt")
	_, err = l.server.Certificates.Rotate(l.certificate("encrypt"))
	l.must(err)
	wantRequests(t, "by name", l.ensure(), read, certificates)
	if record := l.observe().Record; len(record) != 0 {
		t.Errorf("record = %v, want none: the name leads to the new certificate", record)
	}
}

func TestCertificateChangedByTheUser(t *testing.T) {
	for _, from := range []string{"custom", "encrypt"} {
		l := withCertificate(t, "certificate-id", from)
		other := l.server.Certificates.Add("other", emulator.CertificateLetsEncrypt, "example.com").ID
		l.annotate(map[string]string{"type": "REGIONAL", "certificate-id": other})
		l.ensure()
		if got := l.balancer().ForwardingRules[1].CertificateID; got != other {
			t.Errorf("from %s: certificate %s, want %s", from, got, other)
		}
		if record := l.observe().Record; len(record) != 0 {
			t.Errorf("from %s: record = %v", from, record)
		}
	}
}

// TestCertificateOfTheSameName is the rule in the middle of a rotation, when both exist: only
// a Let's Encrypt certificate counts as the successor of its namesake.
func TestCertificateOfTheSameName(t *testing.T) {
	for _, test := range []struct {
		installed string
		stays     bool
	}{{"encrypt", true}, {"custom", false}} {
		l := withCertificate(t, "certificate-id", test.installed)
		installed := l.certificate(test.installed)
		namesake := l.server.Certificates.Add(test.installed, emulator.CertificateLetsEncrypt, "example.com").ID
		l.annotate(map[string]string{"type": "REGIONAL", "certificate-id": namesake})
		l.ensure()
		want := namesake
		if test.stays {
			want = installed
		}
		if got := l.balancer().ForwardingRules[1].CertificateID; got != want {
			t.Errorf("%s: certificate %s, want %s", test.installed, got, want)
		}
	}
}

func TestCertificateNameOfNone(t *testing.T) {
	l := newLab(t, 1, nil, map[string]string{"type": "REGIONAL", "certificate-name": "nowhere"})
	l.input.Findings = l.observe().Findings
	if _, _, err := l.balancers().Normalize(l.input); !cloud.IsClass(err, cloud.FailureInvalid) {
		t.Errorf("error = %v, want an invalid one", err)
	}
}

// TestCertificatesForbidden must neither hide the balancer nor keep it from deletion.
func TestCertificatesForbidden(t *testing.T) {
	l := withCertificate(t, "certificate-name", "encrypt")
	l.server.AddFault(fault.Fault{Path: "/v2/certificates", Status: http.StatusForbidden})
	o := l.observe()
	if !o.Found {
		t.Fatal("not found")
	}
	l.input.Findings = o.Findings
	if _, _, err := l.balancers().Normalize(l.input); !cloud.IsClass(err, cloud.FailureInvalid) {
		t.Errorf("error = %v, want an invalid one", err)
	}
	l.server.ClearFaults()
	l.server.AddFault(fault.Fault{Path: "/v2/certificates", Status: http.StatusInternalServerError})
	if _, err := l.balancers().Observe(t.Context(), l.input); l.driver.Classify(err).Class != cloud.FailureTransient {
		t.Errorf("error = %v, want a transient one", err)
	}
}
