package openstack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is a project of its own in a real OpenStack, reached as in test/openstack/lab.
type world struct {
	*testing.T
	token string
	// endpoints of the catalogue, by type.
	endpoints map[string]string
	project   string
}

// object is an object of any API.
type object = map[string]any

func newWorld(t *testing.T) *world {
	t.Helper()
	admin := logIn(t, "admin", "admin")
	name := strings.ToLower("ccm-" + t.Name())
	project := admin.make("identity", "projects", object{"project": object{"name": name}})
	user := admin.make("identity", "users", object{"user": object{"name": name, "password": "lab-secret", "default_project_id": project}})
	var w *world
	t.Cleanup(func() {
		if w != nil {
			w.sweep()
		}
		admin.call(http.MethodDelete, "identity", "users/"+user, nil, nil)
		admin.call(http.MethodDelete, "identity", "projects/"+project, nil, nil)
	})
	for _, role := range []string{"member", "load-balancer_member"} {
		var roles struct{ Roles []struct{ ID string } }
		admin.call(http.MethodGet, "identity", "roles?name="+role, nil, &roles)
		admin.call(http.MethodPut, "identity", "projects/"+project+"/users/"+user+"/roles/"+roles.Roles[0].ID, nil, nil)
	}
	w = logIn(t, name, name)
	w.project = project
	return w
}

func logIn(t *testing.T, user, project string) *world {
	t.Helper()
	domain := object{"id": "default"}
	body, _ := json.Marshal(object{"auth": object{
		"identity": object{"methods": []string{"password"}, "password": object{"user": object{"name": user, "domain": domain, "password": "lab-secret"}}},
		"scope":    object{"project": object{"name": project, "domain": domain}},
	}})
	base := cmp.Or(os.Getenv("OS_AUTH_URL"), localhost+":5000/v3")
	response, err := http.DefaultClient.Post(base+"/auth/tokens", "application/json", bytes.NewReader(body)) //nolint:noctx // a test's set-up
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("no token from the lab at %s: %v %v", base, response, err)
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
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, token: response.Header.Get("X-Subject-Token"), endpoints: map[string]string{}}
	for _, service := range answer.Token.Catalog {
		w.endpoints[service.Type] = service.Endpoints[0].URL
	}
	w.endpoints["network"] += "/v2.0"
	w.endpoints["image"] += "/v2"
	return w
}

// call makes a request, and fails the test unless it succeeds or deletes what is gone.
func (w *world) call(method, service, path string, body, answer any) {
	w.Helper()
	var raw []byte
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, w.endpoints[service]+"/"+path, bytes.NewReader(raw)) //nolint:noctx // a test's set-up
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("X-Auth-Token", w.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 && (method != http.MethodDelete || response.StatusCode != http.StatusNotFound) {
		w.Fatalf("%s %s: %s %s", method, path, response.Status, text)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			w.Fatal(err)
		}
	}
}

// make creates an object and returns its id.
func (w *world) make(service, path string, body any) string {
	w.Helper()
	var answer map[string]struct{ ID string }
	w.call(http.MethodPost, service, path, body, &answer)
	for _, made := range answer {
		return made.ID
	}
	return ""
}

// network makes a network with these subnets, "name cidr cidr", and returns its id and theirs.
func (w *world) network(words string) (network string, subnets []string) {
	w.Helper()
	name, cidrs, _ := strings.Cut(words, " ")
	network = w.make("network", "networks", object{"network": object{"name": name}})
	for _, cidr := range strings.Fields(cidrs) {
		version := 4
		if strings.Contains(cidr, ":") {
			version = 6
		}
		subnets = append(subnets, w.make("network", "subnets", object{"subnet": object{"network_id": network, "cidr": cidr, "ip_version": version}}))
	}
	return network, subnets
}

// router makes a router in these subnets.
func (w *world) router(subnets ...string) string {
	w.Helper()
	id := w.make("network", "routers", object{"router": object{"name": "router"}})
	for _, subnet := range subnets {
		w.call(http.MethodPut, "network", "routers/"+id+"/add_router_interface", object{"subnet_id": subnet}, nil)
	}
	return id
}

// port makes a port with these addresses, one of each subnet of the network.
func (w *world) port(network string, addresses ...string) string {
	w.Helper()
	var fixed []object
	for _, address := range addresses {
		fixed = append(fixed, object{"ip_address": address})
	}
	return w.make("network", "ports", object{"port": object{"network_id": network, "fixed_ips": fixed}})
}

// server makes a server on these ports and waits until it runs.
func (w *world) server(name string, more object, ports ...string) string {
	w.Helper()
	var images struct{ Images []struct{ ID string } }
	w.call(http.MethodGet, "image", "images", nil, &images)
	var networks []object
	for _, port := range ports {
		networks = append(networks, object{"port": port})
	}
	body := object{"name": name, "imageRef": images.Images[0].ID, "flavorRef": "1", "networks": networks}
	for key, value := range more {
		body[key] = value
	}
	id := w.make("compute", "servers", object{"server": body})
	w.waitFor(id, "ACTIVE")
	return id
}

// act asks a server for an action and waits for the state that follows.
func (w *world) act(id, action, status string) {
	w.Helper()
	w.call(http.MethodPost, "compute", "servers/"+id+"/action", object{action: nil}, nil)
	w.waitFor(id, status)
}

// deleteServer deletes a server and waits until it is gone, and its ports without one.
func (w *world) deleteServer(id string) {
	w.Helper()
	w.call(http.MethodDelete, "compute", "servers/"+id, nil, nil)
	w.until("server "+id+" is gone", func() bool { return !slices.Contains(w.all("compute", "servers"), id) })
}

func (w *world) waitFor(id, status string) {
	w.Helper()
	w.until("server "+id+" is "+status, func() bool {
		var answer struct{ Server struct{ Status string } }
		w.call(http.MethodGet, "compute", "servers/"+id, nil, &answer)
		if answer.Server.Status == "ERROR" {
			w.Fatalf("server %s: ERROR", id)
		}
		return answer.Server.Status == status
	})
}

func (w *world) until(what string, done func() bool) {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("waited in vain until %s", what)
		}
	}
}

// all are the ids of all objects of a kind in the project.
func (w *world) all(service, kind string) (ids []string) {
	w.Helper()
	path := kind
	if service == "network" {
		path += "?project_id=" + w.project
	}
	var answer map[string]json.RawMessage
	w.call(http.MethodGet, service, path, nil, &answer)
	var items []struct{ ID string }
	if err := json.Unmarshal(answer[kind], &items); err != nil {
		w.Fatal(err)
	}
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// sweep removes whatever the test left.
func (w *world) sweep() {
	for _, id := range w.all("compute", "servers") {
		w.deleteServer(id)
	}
	for _, id := range w.all("network", "floatingips") {
		w.call(http.MethodDelete, "network", "floatingips/"+id, nil, nil)
	}
	for _, id := range w.all("network", "routers") {
		w.call(http.MethodPut, "network", "routers/"+id, object{"router": object{"routes": []object{}}}, nil)
		var interfaces struct{ Ports []struct{ ID string } }
		w.call(http.MethodGet, "network", "ports?device_id="+id+"&project_id="+w.project, nil, &interfaces)
		for _, p := range interfaces.Ports {
			w.call(http.MethodPut, "network", "routers/"+id+"/remove_router_interface", object{"port_id": p.ID}, nil)
		}
		w.call(http.MethodDelete, "network", "routers/"+id, nil, nil)
	}
	for _, kind := range []string{"ports", "networks"} {
		for _, id := range w.all("network", kind) {
			w.call(http.MethodDelete, "network", kind+"/"+id, nil, nil)
		}
	}
}

// routes returns the routes of a router as "destination hop", sorted.
func (w *world) routes(router string) string {
	w.Helper()
	var answer struct {
		Router struct {
			Routes []struct{ Destination, NextHop string }
		}
	}
	w.call(http.MethodGet, "network", "routers/"+router, nil, &answer)
	var routes []string
	for _, r := range answer.Router.Routes {
		routes = append(routes, fmt.Sprint(r.Destination, " ", r.NextHop))
	}
	slices.Sort(routes)
	return strings.Join(routes, ", ")
}

// floating makes a floating address of the port and returns it.
func (w *world) floating(network, port string) string {
	w.Helper()
	var answer struct {
		FloatingIP struct {
			Address string `json:"floating_ip_address"`
		}
	}
	w.call(http.MethodPost, "network", "floatingips", object{"floatingip": object{"floating_network_id": network, "port_id": port}}, &answer)
	return answer.FloatingIP.Address
}

// addRoute adds a route to a router.
func (w *world) addRoute(router, destination, hop string) {
	w.editRoute("add", router, destination, hop)
}

func (w *world) removeRoute(router, destination, hop string) {
	w.editRoute("remove", router, destination, hop)
}

func (w *world) editRoute(verb, router, destination, hop string) {
	w.Helper()
	body := object{"router": object{"routes": []object{{"destination": destination, "nexthop": hop}}}}
	w.call(http.MethodPut, "network", "routers/"+router+"/"+verb+"_extraroutes", body, nil)
}

// pairs returns the addresses a port has pairs of, sorted.
func (w *world) pairs(port string) string {
	w.Helper()
	var answer struct {
		Port struct {
			Pairs []struct {
				Address string `json:"ip_address"`
			} `json:"allowed_address_pairs"`
		}
	}
	w.call(http.MethodGet, "network", "ports/"+port, nil, &answer)
	var pairs []string
	for _, p := range answer.Port.Pairs {
		pairs = append(pairs, p.Address)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ", ")
}
