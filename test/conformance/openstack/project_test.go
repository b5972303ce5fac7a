package openstack_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// password is what the project's user gets.
const password = "lab-secret"

// object is an object of any API.
type object = map[string]any

// project is a project of its own in the lab, with a network, a router and a user.
type project struct {
	*testing.T
	authURL, token string
	endpoints      map[string]string

	id, user, network, router, image string
}

// in returns the project for a sub-test, whose failures are its own.
func (p *project) in(t *testing.T) *project {
	q := *p
	q.T = t
	return &q
}

func newProject(t *testing.T) *project {
	t.Helper()
	admin := &project{T: t, authURL: os.Getenv("OS_AUTH_URL")}
	if admin.authURL == "" {
		t.Skip("no OS_AUTH_URL: the lab of test/openstack/lab is not there")
	}
	admin.login("admin", os.Getenv("OS_PASSWORD"), "admin")
	p := &project{T: t, authURL: admin.authURL}
	name := "conformance-" + time.Now().Format("150405.000")
	p.id = admin.make("identity", "projects", object{"project": object{"name": name}})
	p.user = admin.make("identity", "users", object{"user": object{"name": name, "password": password}})
	t.Cleanup(func() {
		p.remove()
		admin.call(http.MethodDelete, "identity", "users/"+p.user, nil, nil)
		admin.call(http.MethodDelete, "identity", "projects/"+p.id, nil, nil)
	})
	for _, role := range []string{"member", "load-balancer_member", "creator"} {
		var found struct{ Roles []struct{ ID string } }
		admin.call(http.MethodGet, "identity", "roles?name="+role, nil, &found)
		for _, r := range found.Roles {
			admin.call(http.MethodPut, "identity", "projects/"+p.id+"/users/"+p.user+"/roles/"+r.ID, nil, nil)
		}
	}
	p.login(name, password, name)
	p.build()
	return p
}

// build makes what machines need.
func (p *project) build() {
	p.Helper()
	p.network = p.make("network", "networks", object{"network": object{"name": "nodes"}})
	p.router = p.make("network", "routers", object{"router": object{"name": "nodes"}})
	for version, cidr := range map[int]string{4: "10.10.0.0/16", 6: "fd00:10::/64"} {
		subnet := p.make("network", "subnets", object{"subnet": object{"network_id": p.network, "cidr": cidr, "ip_version": version}})
		p.call(http.MethodPut, "network", "routers/"+p.router+"/add_router_interface", object{"subnet_id": subnet}, nil)
	}
	var images struct{ Images []struct{ ID string } }
	p.call(http.MethodGet, "image", "v2/images", nil, &images)
	p.image = images.Images[0].ID
}

func (p *project) remove() {
	for _, router := range p.all("network", "routers") {
		var interfaces struct{ Ports []struct{ ID string } }
		p.call(http.MethodGet, "network", "ports?device_id="+router, nil, &interfaces)
		for _, i := range interfaces.Ports {
			p.call(http.MethodPut, "network", "routers/"+router+"/remove_router_interface", object{"port_id": i.ID}, nil)
		}
		p.call(http.MethodDelete, "network", "routers/"+router, nil, nil)
	}
	for _, kind := range []string{"ports", "networks"} {
		for _, id := range p.all("network", kind) {
			p.call(http.MethodDelete, "network", kind+"/"+id, nil, nil)
		}
	}
}

func (p *project) login(user, password, project string) {
	p.Helper()
	domain := object{"id": "default"}
	body, _ := json.Marshal(object{"auth": object{
		"identity": object{"methods": []string{"password"}, "password": object{"user": object{"name": user, "domain": domain, "password": password}}},
		"scope":    object{"project": object{"name": project, "domain": domain}},
	}})
	response, err := (&http.Client{Timeout: patience}).Post(p.authURL+"/auth/tokens", "application/json", bytes.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Token struct {
			Catalog []struct {
				Type      string
				Endpoints []struct{ URL string }
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusCreated {
		p.Fatalf("logging in as %s: %s %v", user, response.Status, err)
	}
	p.token, p.endpoints = response.Header.Get("X-Subject-Token"), map[string]string{}
	for _, service := range answer.Token.Catalog {
		p.endpoints[service.Type] = strings.TrimSuffix(service.Endpoints[0].URL, "/") + "/"
	}
	p.endpoints["network"] += "v2.0/"
}

// call makes a request that has to succeed; deleting what is gone does.
func (p *project) call(method, service, path string, body, answer any) {
	p.Helper()
	var raw []byte
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, p.endpoints[service]+path, bytes.NewReader(raw)) //nolint:noctx // also when the test is over
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("X-Auth-Token", p.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 && (method != http.MethodDelete || response.StatusCode != http.StatusNotFound) {
		p.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			p.Fatal(err)
		}
	}
}

// make creates an object and returns its id.
func (p *project) make(service, path string, body any) string {
	p.Helper()
	var answer map[string]struct{ ID string }
	p.call(http.MethodPost, service, path, body, &answer)
	for _, made := range answer {
		return made.ID
	}
	return ""
}

// all are the ids of the project's objects of a kind.
func (p *project) all(service, kind string) (ids []string) {
	p.Helper()
	var answer map[string]json.RawMessage
	p.call(http.MethodGet, service, kind, nil, &answer)
	var items []struct {
		ID      string
		Project string `json:"project_id"`
	}
	if err := json.Unmarshal(answer[kind], &items); err != nil {
		p.Fatal(err)
	}
	for _, item := range items {
		if item.Project == "" || item.Project == p.id { // others' are shared with us
			ids = append(ids, item.ID)
		}
	}
	return ids
}

func (p *project) status(server string) string {
	p.Helper()
	var answer struct{ Server struct{ Status string } }
	p.call(http.MethodGet, "compute", "servers/"+server, nil, &answer)
	if answer.Server.Status == "ERROR" {
		p.Fatalf("server %s: ERROR", server)
	}
	return answer.Server.Status
}

func (p *project) wait(what string, done func() bool) {
	p.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.Fatalf("waited in vain until %s", what)
		}
	}
}
