package balancer

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
)

const balancerJSON = `{"load_balancer":{"id":1,"name":"x","load_balancer_type":{"id":1,"name":"lb11"},"location":{"id":1,"name":"fsn1"},"targets":[TARGETS]}}`

// TestTargetIsGone: the API refuses to remove what is gone, which the driver finds out.
func TestTargetIsGone(t *testing.T) {
	const target = `{"type":"server","server":{"id":11}}`
	for name, tt := range map[string]struct {
		targets, server string
		done            bool
	}{
		"the target":             {server: `{"server":{"id":11}}`, done: true},
		"the server":             {targets: target, done: true},
		"neither, it is refused": {targets: target, server: `{"server":{"id":11}}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := answering(t, http.StatusUnprocessableEntity, "invalid_input", map[string]string{
				"/load_balancers/1": strings.Replace(balancerJSON, "TARGETS", tt.targets, 1), "/servers/11": tt.server,
			})
			r := serverTarget(11, false)
			r.Fields = r.Fields.With(fieldBalancer.Is(cloud.ToID("1")))
			if err := (writer{b.API}).removeTarget(t.Context(), r); (err == nil) != tt.done {
				t.Errorf("error %v, want none: %v", err, tt.done)
			}
		})
	}
}

// TestServerOfATargetIsGone: the addition is refused, and keeps nothing else from being done.
func TestServerOfATargetIsGone(t *testing.T) {
	b := answering(t, http.StatusNotFound, "not_found", nil)
	r := serverTarget(11, false)
	r.Fields = r.Fields.With(fieldBalancer.Is(cloud.ToID("1")))
	if _, err := (writer{b.API}).addTarget(t.Context(), r, nil); cloud.FailureOf(err).Class != cloud.FailureInvalid || !api.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

// answering are balancers of an API that refuses writes, and reads these objects and no others.
func answering(t *testing.T, status int, code string, objects map[string]string) *Balancers {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text, refusal := objects[r.URL.Path], status
		if r.Method == http.MethodGet {
			if text != "" {
				_, _ = io.WriteString(w, text)
				return
			}
			code, refusal = "not_found", http.StatusNotFound
		}
		w.WriteHeader(refusal)
		_, _ = io.WriteString(w, `{"error":{"code":"`+code+`","message":"no"}}`)
	}))
	t.Cleanup(server.Close)
	return &Balancers{API: hcloud.NewClient(hcloud.WithEndpoint(server.URL), hcloud.WithToken("t"), hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}))}
}

// TestSecondCertificate of the same domains goes, and the one that is used stays.
func TestSecondCertificate(t *testing.T) {
	certificate := func(id int64) *hcloud.Certificate {
		return &hcloud.Certificate{ID: id, Name: "x", DomainNames: []string{"Example.com"}}
	}
	s := state{certificates: []*hcloud.Certificate{certificate(7), certificate(8)}, lb: &hcloud.LoadBalancer{
		Services: []hcloud.LoadBalancerService{{HTTP: hcloud.LoadBalancerServiceHTTP{Certificates: []*hcloud.Certificate{{ID: 8}}}}},
	}}
	all, _ := s.certificateResources(cloud.Change{})
	if all[0].Key != "example.com 7" || all[1].Key != "example.com" {
		t.Errorf("certificates %+v", all)
	}
	if field := s.certificateField(s.certificates[1:]); field != desired.ManagedPrefix+"example.com" {
		t.Errorf("the one that is used: %s", field)
	}
	if field := s.certificateField(s.certificates[:1]); field != "7" {
		t.Errorf("the other one: %s", field)
	}
}
