package digitalocean_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// FuzzBalancerRequest: whatever the body, the answer is 202, 400 or 422, and a
// balancer that was made can be read and written back without a change.
func FuzzBalancerRequest(f *testing.F) {
	for _, body := range []object{
		regional("a"), network("a"), regional("a").with(object{"size": "lb-medium", "sticky_sessions": object{}, "firewall": nil}),
		network("b").with(rules(rule("udp", 53, "udp", 53).with(object{"target_port": nil}))),
		{"name": "g", "type": "GLOBAL", "glb_settings": object{"target_protocol": "http", "target_port": 80}},
		regional("a").with(object{"health_check": object{"port": nil, "path": "/x"}, "tags": []string{"a", "A"}}),
	} {
		data, err := json.Marshal(body)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("null")
	f.Add(`{"name":`)
	f.Fuzz(func(t *testing.T, body string) {
		server := digitalocean.New(digitalocean.Options{})
		defer server.Close()
		made := send(t, server, "POST", "/v2/load_balancers", body)
		switch made.Code {
		case http.StatusAccepted:
		case http.StatusNoContent, http.StatusBadRequest, http.StatusUnprocessableEntity:
			if len(server.State().Balancers) != 0 {
				t.Fatalf("%d left a balancer", made.Code)
			}
			return
		default:
			t.Fatalf("status %d: %s", made.Code, made.Body)
		}
		before := server.State()
		again := send(t, server, "PUT", "/v2/load_balancers/"+before.Balancers[0].ID, request(t, before.Balancers[0]))
		if again.Code != http.StatusOK || server.State().JSON() != before.JSON() {
			t.Fatalf("written back: %d %s\n%s\nbefore\n%s", again.Code, again.Body, server.State().JSON(), before.JSON())
		}
	})
}

// request is the update that asks for what a balancer is.
func request(t *testing.T, b digitalocean.Balancer) string {
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	fields := object{}
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "status", "created_at", "ipv6"} {
		delete(fields, name)
	}
	if fields["region"] = ""; b.Region != nil {
		fields["region"] = b.Region.Slug
	}
	if data, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func send(t *testing.T, server *digitalocean.Server, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body)).WithContext(t.Context())
	r.Header.Set("Authorization", "Bearer test-token")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	return w
}
