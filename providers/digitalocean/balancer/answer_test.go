package balancer

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// TestNonsense: what is well-formed, and is not what was asked for, is an error and is not believed.
func TestNonsense(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		ask    func(*Balancers) error
	}{
		"a blank creation": {`{"load_balancer":{}}`, func(l *Balancers) error {
			_, err := l.Apply(t.Context(), cloud.Change{After: &cloud.Balancer{Name: "x", ProviderFields: map[string]string{object.FieldType: config.TypeNetwork}}})
			return err
		}},
		"another certificate": {`{"certificate":{"id":"b","name":"web","type":"lets_encrypt"}}`, func(l *Balancers) error {
			_, err := l.Certificates.Read(t.Context(), "a")
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, tt.answer)
			}))
			defer server.Close()
			client, err := godo.New(server.Client(), godo.SetBaseURL(server.URL+"/"))
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.ask(&Balancers{API: client.LoadBalancers, Certificates: certificate.Finder{API: client.Certificates}}); !errors.Is(err, cloud.ErrIncomplete) {
				t.Errorf("error %v", err)
			}
		})
	}
}
