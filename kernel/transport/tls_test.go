package transport

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric/metrictest"
)

// A driver that has its own authorities and certificate uses the same limits and metrics as
// before, and the transport it was given first stays as it was.
func TestTransportWithOtherTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "test" || len(r.TLS.PeerCertificates) != 1 {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	metrics := metrictest.New()
	transport := New(nil, Options{Cloud: "c", Metrics: metrics, UserAgent: "test"})
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	trusting := transport.WithTLS(&tls.Config{RootCAs: pool, Certificates: server.TLS.Certificates})

	get := func(through http.RoundTripper) (int, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := through.RoundTrip(request)
		if err != nil {
			return 0, err
		}
		response.Body.Close()
		return response.StatusCode, nil
	}
	if code, err := get(trusting); err != nil || code != http.StatusOK {
		t.Errorf("got %d, %v", code, err)
	}
	if _, err := get(transport); err == nil {
		t.Error("the transport without these settings trusts the server too")
	}
	for code, want := range map[string]float64{"200": 1, "error": 1} {
		if got := metrics.Sum(metric.Requests, "c", "", "other", code); got != want {
			t.Errorf("%g requests with %s were counted", got, code)
		}
	}
}

func TestOldVersionsOfTLSStayOff(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	server.StartTLS()
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	client := &http.Client{Transport: New(nil, Options{}).WithTLS(&tls.Config{RootCAs: pool})}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if _, err := client.Do(request); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
}
