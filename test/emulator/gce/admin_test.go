package gce_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/api/compute/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// admin sends a request to an admin endpoint.
func (v *vendor) admin(request, body string) (int, string) {
	v.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r := must(http.NewRequestWithContext(v.t.Context(), method, v.url+"/_emulator/"+path, strings.NewReader(body)))(v.t)
	response := must(http.DefaultTransport.RoundTrip(r))(v.t)
	defer response.Body.Close()
	var text strings.Builder
	_ = response.Write(&text)
	return response.StatusCode, text.String()
}

func TestAdminEndpoints(t *testing.T) {
	_, v := start(t, gce.Options{Delay: -1})
	for _, step := range []struct {
		request, body string
		status        int
	}{
		{"POST instances", `{"count":2}`, 200},
		{"POST instances", `{"number":2}`, 400},
		{"POST seed", `{"projects":[{"id":"host","quotas":{"FIREWALLS":1}}],"instances":[{"name":"other","zone":"us-central1-b","externalIP":"auto","podRange":"10.4.0.0/24"}],"grants":[{"account":"a@b","project":"host","methods":["*"]}],"tokens":{"secret":"a@b"}}`, 204},
		{"PATCH objects/projects/test-project/zones/us-central1-a/instances/node-0", `{"status":"SUSPENDED"}`, 204},
		{"PATCH objects/projects/test-project/zones/us-central1-a/instances/none", `{}`, 400},
		{"DELETE objects/projects/test-project/zones/us-central1-a/instances/node-1", ``, 204},
		{"DELETE objects/projects/test-project/zones/us-central1-a/instances/node-1", ``, 400},
		{"POST operations/faults", `{"code":"X"}`, 204},
		{"DELETE operations/faults", ``, 204},
		{"POST operations/finish", `{}`, 204},
		{"PUT lists", `{"hold":true}`, 204},
		{"PUT lists", `{"hold":false}`, 204},
		{"PUT unreachable", `{"scopes":[]}`, 204},
		{"PUT rates", `{"read":1000}`, 204},
		{"PUT quotas/test-project/ROUTES", `{"limit":3}`, 204},
		{"PUT tokens/more", `{"account":"a@b"}`, 204},
		{"DELETE tokens/more", ``, 204},
		{"POST keys/a@b", ``, 200},
		{"GET counters", ``, 200},
	} {
		if status, text := v.admin(step.request, step.body); status != step.status {
			t.Errorf("%s: %d %s", step.request, status, text)
		}
	}
	is(t, "status", must(v.Instances.Get(project, zone, "node-0").Do())(t).Status, "SUSPENDED")
	is(t, "alias range", must(v.Instances.Get(project, "us-central1-b", "other").Do())(t).NetworkInterfaces[0].AliasIpRanges[0].IpCidrRange, "10.4.0.0/24")
	is(t, "firewalls of the host project", v.rawAs("secret", "GET ../host/global/firewalls", "").status, 200)
	_, text := v.admin("GET state", "")
	_, body, _ := strings.Cut(text, "\r\n\r\n")
	var state gce.State
	if err := json.NewDecoder(strings.NewReader(body[strings.IndexByte(body, '{'):])).Decode(&state); err != nil {
		t.Fatal(err)
	}
	is(t, "machine in the state", state.Objects["projects/test-project/zones/us-central1-a/instances/node-0"]["status"], any("SUSPENDED"))
	v.admin("POST reset", "")
	is(t, "machines after a reset", len(must(v.Instances.List(project, zone).Do())(t).Items), 0)
}

// An access config without an address (S23 of upstream's defects) and other states no request leads to.
func TestEditMakesDrift(t *testing.T) {
	server, v := start(t, gce.Options{})
	server.SeedInstances(1, func(i *gce.Instance) { i.ExternalIP = "auto" })
	path := "projects/test-project/zones/us-central1-a/instances/node-0"
	machine := must(v.Instances.Get(project, zone, "node-0").Do())(t)
	machine.NetworkInterfaces[0].AccessConfigs[0].NatIP = ""
	if err := server.Edit(path, map[string]any{"networkInterfaces": machine.NetworkInterfaces}); err != nil {
		t.Fatal(err)
	}
	is(t, "address", must(v.Instances.Get(project, zone, "node-0").Do())(t).NetworkInterfaces[0].AccessConfigs[0].NatIP, "")
	var none *compute.Instance
	is(t, "edit of nothing", server.Edit("projects/x", map[string]any{"a": none}) != nil, true)
}
