package balancer

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// requests are the schemas of requests in the client library, by the end of their path.
var requests = map[string]func() any{
	"POST /load_balancers":     func() any { return new(schema.LoadBalancerCreateRequest) },
	"PUT /load_balancers/1":    func() any { return new(schema.LoadBalancerUpdateRequest) },
	"add_service":              func() any { return new(schema.LoadBalancerActionAddServiceRequest) },
	"update_service":           func() any { return new(schema.LoadBalancerActionUpdateServiceRequest) },
	"delete_service":           func() any { return new(schema.LoadBalancerDeleteServiceRequest) },
	"add_target":               func() any { return new(schema.LoadBalancerActionAddTargetRequest) },
	"remove_target":            func() any { return new(schema.LoadBalancerActionRemoveTargetRequest) },
	"attach_to_network":        func() any { return new(schema.LoadBalancerActionAttachToNetworkRequest) },
	"detach_from_network":      func() any { return new(schema.LoadBalancerActionDetachFromNetworkRequest) },
	"change_algorithm":         func() any { return new(schema.LoadBalancerActionChangeAlgorithmRequest) },
	"change_type":              func() any { return new(schema.LoadBalancerActionChangeTypeRequest) },
	"change_dns_ptr":           func() any { return new(schema.LoadBalancerActionChangeDNSPtrRequest) },
	"enable_public_interface":  func() any { return new(struct{}) },
	"disable_public_interface": func() any { return new(struct{}) },
	"POST /certificates":       func() any { return new(schema.CertificateCreateRequest) },
}

// recorder answers every write with an action that is done, and keeps the requests.
type recorder struct {
	*testing.T
	seen   []string
	bodies map[string]string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	text, _ := io.ReadAll(request.Body)
	name := request.Method + " " + request.URL.Path
	if at := strings.LastIndex(name, "/actions/"); at >= 0 {
		name = name[at+len("/actions/"):]
	}
	r.seen = append(r.seen, name)
	r.bodies[name] = string(text)
	known, ok := requests[name]
	if !ok {
		r.Errorf("%s: no such request", name)
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(known()); err != nil {
		r.Errorf("%s: %v in %s", name, err, text)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"action": {"id": 1, "status": "success"}, "load_balancer": {"id": 1}, "certificate": {"id": 7}}`)
}

// record returns balancers whose requests are recorded.
func record(t *testing.T) (*recorder, *Balancers) {
	r := &recorder{T: t, bodies: map[string]string{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	client := hcloud.NewClient(hcloud.WithEndpoint(server.URL), hcloud.WithToken("t"), hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}))
	return r, &Balancers{API: client, Configuration: desired.Configuration{Network: 4}}
}

type driver struct {
	cloud.Account
	*Balancers
}

func (driver) Classify(error) cloud.Failure { return cloud.Failure{} }

// asked returns the spec of a Service with two ports and these annotations.
func asked(t *testing.T, annotations map[string]string) cloud.Input {
	t.Helper()
	values, problems := desired.Annotations().Parse(annotations)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	found := desired.Findings{Limits: &desired.Limits{Targets: 25, Services: 5, Certificates: 10}}
	return cloud.Input{
		Spec: cloud.Spec{
			Owner:   cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "8b5a3c1e-0000-4000-8000-123456789abc", Cloud: "hcloud"},
			Ports:   []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}, {Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}},
			Options: values,
		},
		Environment: cloud.Environment{
			Findings: desired.Found.Seal(found),
			Candidates: []cloud.Target{
				{InstanceID: "11", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.11"}}},
				{InstanceID: "robot-5", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.1.0.5"}, {Type: cloud.AddressExternalIP, Address: "192.0.2.5"}}},
			},
		},
	}
}

// prefix is that of upstream's keys.
const prefix = "load-balancer.hetzner.cloud/"

// TestOneRequestMakesAll checks a creation, whose request has the fields of the client library's schema.
func TestOneRequestMakesAll(t *testing.T) {
	r, b := record(t)
	in := asked(t, map[string]string{
		prefix + "location": "fsn1", annotation.Internal.Name: "true", desired.Algorithm.Name: "least_connections", prefix + "protocol": "80=http,443=https",
		annotation.Certificate.Name: "7,8", prefix + "http-sticky-sessions": "true", prefix + "health-check-http-path": "/ready", annotation.ProxyProtocol.Name: "443=true",
	})
	after, _, err := b.Normalize(in)
	if err != nil {
		t.Fatal(err)
	}
	after.Targets = []cloud.InstanceID{"11", "robot-5"}
	balancers, _ := composite.Balancers(cloudtest.Driver(driver{Balancers: b}))
	progress, err := balancers.Apply(t.Context(), cloud.Change{Input: in, After: &after})
	if err != nil || progress.Pending || !slices.Equal(r.seen, []string{"POST /load_balancers"}) {
		t.Fatalf("requests %v, progress %+v, %v; want one POST", r.seen, progress, err)
	}
	var made schema.LoadBalancerCreateRequest
	if err := json.Unmarshal([]byte(r.bodies["POST /load_balancers"]), &made); err != nil {
		t.Fatal(err)
	}
	https := made.Services[slices.IndexFunc(made.Services, func(s schema.LoadBalancerCreateRequestService) bool { return *s.ListenPort == 443 })]
	switch {
	case made.Name != "a8b5a3c1e000040008000123456789ab" || *made.Location != "fsn1" || made.NetworkZone != nil || *made.Network != 4 || *made.PublicInterface:
		t.Errorf("request %s", r.bodies["POST /load_balancers"])
	case len(made.Targets) != 2 || !*made.Targets[0].UsePrivateIP || made.Targets[1].IP.IP != "10.1.0.5":
		t.Errorf("targets %+v", made.Targets)
	case !slices.Equal(*https.HTTP.Certificates, []int64{7, 8}) || !*https.Proxyprotocol || *https.HTTP.CookieName != "HCLBSTICKY" || *https.HealthCheck.HTTP.Path != "/ready":
		t.Errorf("service %s", r.bodies["POST /load_balancers"])
	}
}

// TestRequestsOfParts makes every other request once.
func TestRequestsOfParts(t *testing.T) {
	r, b := record(t)
	w := writer{b.API}
	with := func(resource cloud.Resource) cloud.Resource {
		resource.ID, resource.Fields = "1", resource.Fields.With(fieldBalancer.Is(cloud.ToID("1")))
		return resource
	}
	listener := cloud.Listener{
		Protocol: cloud.ProtocolHTTPS, Port: 443, TargetPort: 30443, Health: &cloud.Health{Protocol: cloud.ProtocolHTTP, Port: 1, Path: "/"},
		ProviderFields: map[string]string{cloud.FieldCertificate: "7"},
	}
	view := cloud.Balancer{Name: "x", ProviderFields: map[string]string{cloud.FieldSize: "lb21", cloud.FieldAlgorithm: "round_robin"}}
	lb := with(state{}.balancer(view))
	reverse := with(part(kindReverse, "ipv4", fieldAddress.Is(cloud.ToID("192.0.2.1")), fieldDNSPtr.Is("www.example.com")))
	parts := map[string]cloud.Resource{
		kindPublic: with(part(kindPublic, "public")), kindNetwork: with(network(4, fieldNetworkIP.Is("10.0.0.2"), fieldIPRange.Is("10.0.0.0/24"))),
		kindTarget: with(serverTarget(11, true)), kindService: with(service(listener)),
	}
	for _, kind := range b.ResourceKinds() {
		if r, ok := parts[kind.Name]; ok {
			if _, err := kind.Create(t.Context(), r, nil); err != nil {
				t.Error(err)
			}
			if err := kind.Delete(t.Context(), r); err != nil {
				t.Error(err)
			}
		}
	}
	for _, field := range []string{"name", "labels", "network_label", "algorithm", "load_balancer_type"} {
		if err := w.update(t.Context(), lb, lb, []string{field}); err != nil {
			t.Error(err)
		}
	}
	if err := w.updateService(t.Context(), parts[kindService], parts[kindService], namesOf(serviceFields)); err != nil {
		t.Error(err)
	}
	if err := w.updateReverse(t.Context(), reverse, reverse, namesOf(reverseFields)); err != nil {
		t.Error(err)
	}
	wanted := cloud.Resource{Fields: cloud.FieldsOf(fieldName.Is("x"), fieldDomains.Is([]string{"example.com"}), fieldLabels.Is(map[string]string{}))}
	if id, err := w.createCertificate(t.Context(), wanted, nil); err != nil || id != "7" {
		t.Errorf("certificate %q, %v", id, err)
	}
	for name := range requests {
		if !slices.Contains(r.seen, name) && name != "POST /load_balancers" {
			t.Errorf("%s was not asked for", name)
		}
	}
}

// TestBodiesOfServices: what is empty, off or 0 is said all the same, because the API leaves what is not said as it is.
func TestBodiesOfServices(t *testing.T) {
	tcp := cloud.Listener{Protocol: cloud.ProtocolTCP, Port: 80, TargetPort: 30080, Health: &cloud.Health{Protocol: cloud.ProtocolTCP, Port: 30080, Interval: 15 * time.Second, Timeout: 10 * time.Second, Unhealthy: 3}}
	http := tcp
	http.Protocol, http.Health = cloud.ProtocolHTTP, &cloud.Health{Protocol: cloud.ProtocolHTTP, Port: 30080, Interval: 15 * time.Second, Timeout: 10 * time.Second, Unhealthy: 3}
	https := http
	https.Protocol, https.ProviderFields = cloud.ProtocolHTTPS, map[string]string{cloud.FieldCertificate: "7,8", cloud.FieldIdleTimeout: "60", cloud.FieldProxyProtocol: yes, desired.FieldRedirect: yes}
	managed := https
	managed.ProviderFields = map[string]string{cloud.FieldCertificate: desired.ManagedPrefix + "example.com"}
	const (
		checkTCP  = `"health_check":{"protocol":"tcp","port":30080,"interval":15,"timeout":10,"retries":3}`
		checkHTTP = `"health_check":{"protocol":"http","port":30080,"interval":15,"timeout":10,"retries":3,"http":{"domain":"","path":"","status_codes":[],"tls":false}}`
		cookie    = `"cookie_name":"HCLBSTICKY","cookie_lifetime":300`
	)
	for name, test := range map[string]struct {
		listener cloud.Listener
		update   []string // the fields that change, nil for a service that is added
		want     string
	}{
		"TCP":                                   {tcp, nil, `{"destination_port":30080,` + checkTCP + `,"listen_port":80,"protocol":"tcp","proxyprotocol":false}`},
		"HTTP":                                  {http, nil, `{"destination_port":30080,` + checkHTTP + `,"http":{` + cookie + `,"sticky_sessions":false,"timeout_idle":0},"listen_port":80,"protocol":"http","proxyprotocol":false}`},
		"HTTPS":                                 {https, nil, `{"destination_port":30080,` + checkHTTP + `,"http":{` + cookie + `,"certificates":[7,8],"redirect_http":true,"sticky_sessions":false,"timeout_idle":60},"listen_port":80,"protocol":"https","proxyprotocol":true}`},
		"a port of the nodes":                   {tcp, []string{"destination_port"}, `{"destination_port":30080,"listen_port":80}`},
		"certificates":                          {https, []string{"certificates"}, `{"http":{` + cookie + `,"certificates":[7,8],"redirect_http":true,"sticky_sessions":false,"timeout_idle":60},"listen_port":80}`},
		"a redirect":                            {https, []string{"http"}, `{"http":{` + cookie + `,"certificates":[7,8],"redirect_http":true,"sticky_sessions":false,"timeout_idle":60},"listen_port":80}`},
		"while a certificate could not be made": {managed, []string{"http"}, `{"http":{` + cookie + `,"redirect_http":false,"sticky_sessions":false,"timeout_idle":0},"listen_port":80}`},
	} {
		t.Run(name, func(t *testing.T) {
			r, b := record(t)
			w, one, action := writer{b.API}, service(test.listener), "add_service"
			one.Fields = one.Fields.With(fieldBalancer.Is(cloud.ToID("1")))
			_, err := w.action(action, serviceFields...)(t.Context(), one, nil)
			if test.update != nil {
				action = "update_service"
				err = w.updateService(t.Context(), one, one, test.update)
			}
			if err != nil || r.bodies[action] != test.want {
				t.Errorf("%v\n%s, want\n%s", err, r.bodies[action], test.want)
			}
		})
	}
}

func namesOf(fields []cloud.AnyField) (names []string) {
	for _, field := range fields {
		names = append(names, field.Name())
	}
	return names
}

// TestMadeForAnother: an answer to a creation that is about another Service's load balancer is an error, and nothing of it is recorded.
func TestMadeForAnother(t *testing.T) {
	in := asked(t, map[string]string{prefix + "location": "fsn1"})
	for name, test := range map[string]struct {
		name    string
		change  func(labels map[string]string)
		another bool
	}{
		"its own":                   {name: "web", change: func(map[string]string) {}},
		"without labels":            {name: "web", change: func(labels map[string]string) { clear(labels) }},
		"another Service's":         {name: "web", change: func(labels map[string]string) { labels[label.UID] = "other" }, another: true},
		"without labels, not named": {name: "api", change: func(labels map[string]string) { clear(labels) }, another: true},
	} {
		_, b := record(t)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var request schema.LoadBalancerCreateRequest
			_ = json.NewDecoder(r.Body).Decode(&request)
			labels := *request.Labels
			test.change(labels)
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{
				"action": map[string]any{"id": 1, "status": "running"}, "load_balancer": map[string]any{"id": 2, "name": test.name, "labels": labels},
			})
		}))
		t.Cleanup(server.Close)
		b.API = hcloud.NewClient(hcloud.WithEndpoint(server.URL), hcloud.WithToken("t"))
		after, _, err := b.Normalize(in)
		if err != nil {
			t.Fatal(err)
		}
		after.Name = "web"
		balancers, _ := composite.Balancers(cloudtest.Driver(driver{Balancers: b}))
		progress, err := balancers.Apply(t.Context(), cloud.Change{Input: in, After: &after})
		if (err != nil) != test.another || (progress.Observed == nil) != test.another {
			t.Errorf("%s: %+v, %v", name, progress, err)
		}
	}
}
