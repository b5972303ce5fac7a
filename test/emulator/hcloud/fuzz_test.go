package hcloud_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// FuzzBalancerRequests: whatever the body, a creation or an action answers 201 or a refusal of a
// rule, and a refusal changes nothing.
func FuzzBalancerRequests(f *testing.F) {
	const whole = `{"name":"web","load_balancer_type":"lb11","location":"fsn1","network":4000001,"public_interface":true,
		"algorithm":{"type":"least_connections"},"labels":{"a":"b"},
		"targets":[{"type":"server","server":{"id":50000001},"use_private_ip":true},{"type":"label_selector","label_selector":{"selector":"a in (b)"}},{"type":"ip","ip":{"ip":"192.0.2.1"}}],
		"services":[{"protocol":"http","health_check":{"protocol":"http","port":1,"http":{"path":"/x"}},"http":{"cookie_lifetime":1}}]}`
	for action, body := range map[string]string{
		"": whole, "add_target": `{"type":"ip","ip":{"ip":"10.0.0.9"}}`, "remove_target": `{"type":"server","server":null}`,
		"add_service": `{"protocol":"tcp","listen_port":80,"destination_port":30080}`, "update_service": `{"listen_port":443,"protocol":"tcp"}`,
		"delete_service": `{"listen_port":443}`, "attach_to_network": `{"network":4000001,"ip":"10.0.0.9","ip_range":"10.0.0.0/16"}`,
		"detach_from_network": `{"network":4000001}`, "change_type": `{"load_balancer_type":2}`, "change_algorithm": `{"type":""}`,
		"change_dns_ptr": `{"ip":"198.19.0.10","dns_ptr":null}`, "change_protection": `{"delete":true}`, "enable_public_interface": "null", "disable_public_interface": `{`,
	} {
		f.Add(action, body)
		f.Add(action, "null")
		f.Add(action, "[]")
	}
	f.Fuzz(func(t *testing.T, action, body string) {
		server := hcloud.New(hcloud.Options{})
		defer server.Close()
		server.AddNetwork(hcloud.Network{})
		server.SeedMachines(1)
		server.Robot.Seed(1)
		if action != "" {
			if made := send(t, server, "/v1/load_balancers", strings.Replace(whole, `"network":4000001,`, "", 1)); made.Code != http.StatusUnprocessableEntity {
				t.Fatalf("private targets without a network: %d %s", made.Code, made.Body)
			}
			if made := send(t, server, "/v1/load_balancers", whole); made.Code != http.StatusCreated {
				t.Fatalf("the balancer: %d %s", made.Code, made.Body)
			}
		}
		before := server.State()
		path := "/v1/load_balancers"
		if action != "" {
			path += "/3000001/actions/" + action
		}
		if strings.ContainsAny(action, "/?#% ") || strings.Trim(action, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Skip("no path")
		}
		got := send(t, server, path, body)
		if got.Code == http.StatusCreated {
			return
		}
		if got.Header().Get("X-Emulator-Rule") == "" || !json.Valid(got.Body.Bytes()) || got.Code < 400 || got.Code >= 500 {
			t.Fatalf("%s %s: %d %s", path, body, got.Code, got.Body)
		}
		if after := server.State(); after.JSON() != before.JSON() {
			t.Fatalf("%s %s: %d, but\n%s\nbefore\n%s", path, body, got.Code, after.JSON(), before.JSON())
		}
	})
}

func send(t *testing.T, server *hcloud.Server, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)).WithContext(t.Context())
	r.Header.Set("Authorization", "Bearer test-token")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	return w
}
