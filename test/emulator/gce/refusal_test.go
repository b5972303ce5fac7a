package gce_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// answer is what the emulator said to a raw request.
type answer struct {
	status             int
	reason, rule, text string
}

// raw sends "POST path" with a body as the default account; path is relative to the default project.
func (v *vendor) raw(request, body string) answer {
	v.t.Helper()
	return v.rawAs("test-token", request, body)
}

func (v *vendor) rawAs(token, request, body string) answer {
	v.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+"/compute/v1/projects/"+strings.TrimPrefix(project+"/"+path, project+"/../"), strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	response, err := (&http.Client{Transport: bearer(token)}).Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	var buffer bytes.Buffer
	if _, err := buffer.ReadFrom(response.Body); err != nil {
		v.t.Fatal(err)
	}
	var problem struct {
		Error struct {
			Code   int
			Errors []struct{ Reason string }
		}
	}
	out := answer{status: response.StatusCode, rule: response.Header.Get("X-Emulator-Rule"), text: buffer.String()}
	if response.StatusCode >= 300 {
		if err := json.Unmarshal(buffer.Bytes(), &problem); err != nil || len(problem.Error.Errors) != 1 || problem.Error.Code != response.StatusCode {
			v.t.Fatalf("%s: no error of the API: %s", request, buffer.String())
		}
		out.reason = problem.Error.Errors[0].Reason
	}
	return out
}

// furnished is a world with one of everything.
func furnished(t *testing.T) (*gce.Server, *vendor) {
	t.Helper()
	server, v := start(t, gce.Options{Quotas: map[string]int{"ROUTES": 2}})
	server.SeedInstances(3)
	server.Load(gce.Seed{Instances: []gce.Instance{{Name: "far", Zone: "europe-west1-b"}, {Name: "near", Zone: "us-central1-b"}, {Name: "public", ExternalIP: "34.64.9.9"}, {Project: "other-project", Name: "strange"}}})
	for _, step := range [][2]string{
		{"POST global/networks", `{"name":"own","autoCreateSubnetworks":false}`},
		{"POST regions/us-central1/subnetworks", `{"name":"sub","network":"global/networks/own","ipCidrRange":"10.0.0.0/24","secondaryIpRanges":[{"rangeName":"pods","ipCidrRange":"10.4.0.0/16"}]}`},
		{"POST global/networks", `{"name":"third","autoCreateSubnetworks":false}`},
		{"POST regions/us-central1/subnetworks", `{"name":"third","network":"global/networks/third","ipCidrRange":"10.0.0.0/24"}`},
		{"POST zones/us-central1-a/instances", `{"name":"owned","machineType":"zones/us-central1-a/machineTypes/m","networkInterfaces":[{"subnetwork":"regions/us-central1/subnetworks/sub"}]}`},
		{"POST regions/us-central1/addresses", `{"name":"premium"}`},
		{"POST regions/us-central1/addresses", `{"name":"standard","networkTier":"STANDARD"}`},
		{"POST regions/us-central1/addresses", `{"name":"inner","addressType":"INTERNAL","address":"10.128.9.9"}`},
		{"POST global/firewalls", `{"name":"fw","allowed":[{"IPProtocol":"tcp","ports":["80"]}]}`},
		{"POST global/httpHealthChecks", `{"name":"hhc"}`},
		{"POST global/httpHealthChecks", `{"name":"hhc2"}`},
		{"POST global/healthChecks", `{"name":"hc","type":"TCP"}`},
		{"POST regions/europe-west1/healthChecks", `{"name":"hc","type":"TCP"}`},
		{"POST regions/us-central1/targetPools", `{"name":"tp","instances":["zones/us-central1-a/instances/node-0"]}`},
		{"POST regions/europe-west1/targetPools", `{"name":"tp"}`},
		{"POST zones/us-central1-a/instanceGroups", `{"name":"ig"}`},
		{"POST zones/us-central1-a/instanceGroups", `{"name":"ig2"}`},
		{"POST zones/us-central1-a/instanceGroups", `{"name":"ig3"}`},
		{"POST zones/us-central1-a/instanceGroups/ig/addInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/node-0"}]}`},
		{"POST zones/us-central1-a/instanceGroups/ig2/addInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/node-0"}]}`},
		{"POST zones/us-central1-a/instanceGroups/ig3/addInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/owned"}]}`},
		{"POST zones/us-central1-a/networkEndpointGroups", `{"name":"neg","networkEndpointType":"GCE_VM_IP"}`},
		{"POST zones/us-central1-a/networkEndpointGroups", `{"name":"port","networkEndpointType":"GCE_VM_IP_PORT"}`},
		{"POST regions/us-central1/backendServices", `{"name":"in","loadBalancingScheme":"INTERNAL","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig"}]}`},
		{"POST regions/us-central1/backendServices", `{"name":"ex","healthChecks":["global/healthChecks/hc"]}`},
		{"POST regions/europe-west1/backendServices", `{"name":"ex","healthChecks":["global/healthChecks/hc"]}`},
		{"POST regions/us-central1/forwardingRules", `{"name":"fr","target":"regions/us-central1/targetPools/tp","portRange":"80","IPAddress":"premium"}`},
		{"POST regions/us-central1/forwardingRules", `{"name":"ephemeral","target":"regions/us-central1/targetPools/tp","portRange":"80"}`},
		{"POST regions/us-central1/forwardingRules", `{"name":"inside","loadBalancingScheme":"INTERNAL","backendService":"regions/us-central1/backendServices/in","ports":["80"]}`},
		{"POST global/routes", `{"name":"r","network":"global/networks/own","destRange":"10.9.0.0/24","priority":1,"nextHopInstance":"zones/us-central1-a/instances/owned"}`},
	} {
		if got := v.raw(step[0], step[1]); got.status != 200 {
			t.Fatalf("%v: %s", step, got.text)
		}
	}
	return server, v
}

// refusals are requests that break one rule by hand each, in the furnished world.
var refusals = []struct{ rule, request, body string }{
	{"common/not-found", "GET ../missing", ``},
	{"common/not-found", "GET zones/us-moon1-a/instances", ``},
	{"common/not-found", "GET zones/us-central1-a/instances/missing", ``},
	{"common/reference", "POST regions/us-central1/targetPools", `{"name":"x","instances":["zones/us-central1-a/instances/missing"]}`},
	{"common/url", "POST regions/us-central1/targetPools", `{"name":"x","instances":["node-0"]}`},
	{"common/url", "POST regions/us-central1/targetPools", `{"name":"x","healthChecks":["global/healthChecks/hc"]}`},
	{"common/name", "POST regions/us-central1/targetPools", `{}`},
	{"common/name", "POST zones/us-central1-a/networkEndpointGroups", `{"name":"Upper"}`},
	{"common/exists", "POST regions/us-central1/targetPools", `{"name":"tp"}`},
	{"common/in-use", "DELETE regions/us-central1/targetPools/tp", ``},
	{"common/immutable", "PATCH global/firewalls/fw", `{"name":"fw","network":"global/networks/own"}`},
	{"common/immutable", "PATCH regions/us-central1/forwardingRules/fr", `{"portRange":"81-81"}`},
	{"common/immutable", "PUT global/firewalls/fw", `{"name":"other","allowed":[{"IPProtocol":"tcp"}]}`},
	{"common/fingerprint", "PATCH regions/us-central1/backendServices/ex", `{"description":"x"}`},
	{"common/fingerprint", "PATCH regions/us-central1/backendServices/ex", `{"description":"x","fingerprint":"AAAA"}`},
	{"common/fingerprint", "POST regions/us-central1/forwardingRules/fr/setLabels", `{"labels":{"a":"b"}}`},
	{"common/quota", "POST global/routes", `{"name":"r3","network":"global/networks/own","destRange":"10.10.0.0/24","priority":1,"nextHopIp":"10.0.0.9"}`},
	{"common/request-id", "POST regions/us-central1/targetPools?requestId=1", `{"name":"x"}`},
	{"common/request-id", "POST regions/us-central1/targetPools?requestId=00000000-0000-0000-0000-000000000000", `{"name":"x"}`},
	{"common/output-only", "POST regions/us-central1/targetPools", `{"name":"x","selfLink":"https://x"}`},
	{"common/page-size", "GET zones/us-central1-a/instances?maxResults=501", ``},
	{"common/page-token", "GET zones/us-central1-a/instances?pageToken=x", ``},
	{"common/order", "GET zones/us-central1-a/instances?orderBy=id", ``},
	{"common/filter", "GET zones/us-central1-a/instances?filter=name", ``},
	{"common/fields", "GET zones/us-central1-a/instances?fields=items(", ``},
	{"common/labels", "POST zones/us-central1-a/instances", `{"name":"x","labels":{"Upper":"x"},"machineType":"zones/us-central1-a/machineTypes/m","networkInterfaces":[{}]}`},
	{"network/mode", "POST global/networks", `{"name":"legacy"}`},
	{"network/mode", "POST global/networks", `{"name":"legacy","IPv4Range":"10.0.0.0/8"}`},
	{"network/in-use", "DELETE global/networks/third", ``},
	{"subnetwork/required", "POST regions/us-central1/subnetworks", `{"name":"x","network":"global/networks/own"}`},
	{"subnetwork/range", "POST regions/us-central1/subnetworks", `{"name":"x","network":"global/networks/own","ipCidrRange":"10.0.1.1/24"}`},
	{"subnetwork/overlap", "POST regions/us-central1/subnetworks", `{"name":"x","network":"global/networks/own","ipCidrRange":"10.4.3.0/24"}`},
	{"subnetwork/secondary", "POST regions/us-central1/subnetworks", `{"name":"x","network":"global/networks/own","ipCidrRange":"10.7.3.0/24","secondaryIpRanges":[{"ipCidrRange":"10.8.0.0/16"}]}`},
	{"instance/machine-type", "POST zones/us-central1-a/instances", `{"name":"x","machineType":"m","networkInterfaces":[{}]}`},
	{"instance/interface", "POST zones/us-central1-a/instances", `{"name":"x","machineType":"zones/us-central1-a/machineTypes/m"}`},
	{"instance/interface", "POST zones/us-central1-a/instances", `{"name":"x","machineType":"zones/us-central1-a/machineTypes/m","networkInterfaces":[{"network":"global/networks/own"}]}`},
	{"instance/address", "POST zones/us-central1-a/instances", `{"name":"x","machineType":"zones/us-central1-a/machineTypes/m","networkInterfaces":[{"networkIP":"10.128.0.2"}]}`},
	{"instance/alias", "POST zones/us-central1-a/instances", `{"name":"x","machineType":"zones/us-central1-a/machineTypes/m","networkInterfaces":[{"aliasIpRanges":[{"subnetworkRangeName":"pods"}]}]}`},
	{"address/ipv4", "POST regions/us-central1/addresses", `{"name":"x","ipVersion":"IPV6"}`},
	{"address/tier", "POST regions/us-central1/addresses", `{"name":"x","networkTier":"STANDARD","addressType":"INTERNAL"}`},
	{"address/scheme", "POST regions/us-central1/addresses", `{"name":"x","subnetwork":"regions/us-central1/subnetworks/sub"}`},
	{"address/subnetwork", "POST regions/europe-west1/addresses", `{"name":"x","addressType":"INTERNAL","subnetwork":"regions/us-central1/subnetworks/sub"}`},
	{"address/range", "POST regions/us-central1/addresses", `{"name":"x","addressType":"INTERNAL","address":"192.0.2.1"}`},
	{"address/promotion", "POST regions/us-central1/addresses", `{"name":"x","address":"34.64.77.77"}`},
	{"address/reserved-external", "POST regions/us-central1/addresses", `{"name":"x","address":"34.64.0.1"}`},
	{"address/reserved-internal", "POST regions/us-central1/addresses", `{"name":"x","addressType":"INTERNAL","address":"10.128.9.9"}`},
	{"address/promotion-tier", "POST regions/us-central1/addresses", `{"name":"x","networkTier":"STANDARD","address":"34.64.0.2"}`},
	{"address/labels", "POST regions/us-central1/addresses", `{"name":"x","labels":{"a":"b"}}`},
	{"firewall/action", "POST global/firewalls", `{"name":"x"}`},
	{"firewall/action", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"denied":[{"IPProtocol":"tcp"}]}`},
	{"firewall/protocol", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"http"}]}`},
	{"firewall/ports", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"icmp","ports":["80"]}]}`},
	{"firewall/ports", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp","ports":["90-80"]}]}`},
	{"firewall/port-entries", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp","ports":[` + strings.TrimSuffix(strings.Repeat(`"80",`, 101), ",") + `]}]}`},
	{"firewall/range", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"sourceRanges":["10.0.0.0/33"]}`},
	{"firewall/range", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"sourceRanges":["0.0.0.0/0","::/0"]}`},
	{"firewall/direction", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"direction":"EGRESS","sourceTags":["a"]}`},
	{"firewall/accounts", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"targetServiceAccounts":["a@b"],"targetTags":["a"]}`},
	{"firewall/priority", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"priority":65536}`},
	{"firewall/tags", "POST global/firewalls", `{"name":"x","allowed":[{"IPProtocol":"tcp"}],"targetTags":["Node"]}`},
	{"forwarding/scheme", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL_MANAGED"}`},
	{"forwarding/target", "POST regions/us-central1/forwardingRules", `{"name":"x"}`},
	{"forwarding/target", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/region", "POST regions/us-central1/forwardingRules", `{"name":"x","target":"regions/europe-west1/targetPools/tp"}`},
	{"forwarding/region", "POST regions/us-central1/forwardingRules", `{"name":"x","backendService":"regions/europe-west1/backendServices/ex"}`},
	{"forwarding/backend-scheme", "POST regions/us-central1/forwardingRules", `{"name":"x","backendService":"regions/us-central1/backendServices/in"}`},
	{"forwarding/protocol", "POST regions/us-central1/forwardingRules", `{"name":"x","IPProtocol":"UDP","backendService":"regions/us-central1/backendServices/ex"}`},
	{"forwarding/protocol", "POST regions/us-central1/forwardingRules", `{"name":"x","IPProtocol":"L3_DEFAULT","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/port-fields", "POST regions/us-central1/forwardingRules", `{"name":"x","ports":["80"],"target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/port-fields", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL","backendService":"regions/us-central1/backendServices/in"}`},
	{"forwarding/ports", "POST regions/us-central1/forwardingRules", `{"name":"x","ports":["1","2","3","4","5","6"],"backendService":"regions/us-central1/backendServices/ex"}`},
	{"forwarding/ports", "POST regions/us-central1/forwardingRules", `{"name":"x","portRange":"0-80","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/address", "POST regions/us-central1/forwardingRules", `{"name":"x","IPAddress":"34.64.5.5","portRange":"80","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/address-tier", "POST regions/us-central1/forwardingRules", `{"name":"x","IPAddress":"standard","portRange":"80","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/address-range", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL","IPAddress":"192.0.2.1","ports":["80"],"backendService":"regions/us-central1/backendServices/in"}`},
	{"forwarding/address-taken", "POST regions/us-central1/forwardingRules", `{"name":"x","IPAddress":"premium","portRange":"79-81","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/address-taken", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL","IPAddress":"10.128.0.2","ports":["80"],"backendService":"regions/us-central1/backendServices/in"}`},
	{"forwarding/subnetwork", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL","network":"global/networks/own","ports":["80"],"backendService":"regions/us-central1/backendServices/in"}`},
	{"forwarding/subnetwork", "POST regions/us-central1/forwardingRules", `{"name":"x","subnetwork":"regions/us-central1/subnetworks/sub","portRange":"80","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/global-access", "POST regions/us-central1/forwardingRules", `{"name":"x","allowGlobalAccess":true,"portRange":"80","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/global-access", "PATCH regions/us-central1/forwardingRules/fr", `{"allowGlobalAccess":true}`},
	{"forwarding/tier", "POST regions/us-central1/forwardingRules", `{"name":"x","networkTier":"FIXED_STANDARD","target":"regions/us-central1/targetPools/tp"}`},
	{"forwarding/patch", "PATCH regions/us-central1/forwardingRules/fr", `{"networkTier":"STANDARD"}`},
	{"forwarding/source-ranges", "POST regions/us-central1/forwardingRules", `{"name":"x","loadBalancingScheme":"INTERNAL","sourceIpRanges":["10.0.0.0/8"],"ports":["80"],"backendService":"regions/us-central1/backendServices/in"}`},
	{"forwarding/same-type", "POST regions/us-central1/forwardingRules/fr/setTarget", `{"target":"regions/us-central1/backendServices/ex"}`},
	{"forwarding/region", "POST regions/us-central1/forwardingRules/fr/setTarget", `{"target":"regions/europe-west1/targetPools/tp"}`},
	{"pool/region", "POST regions/us-central1/targetPools", `{"name":"x","instances":["zones/europe-west1-b/instances/far"]}`},
	{"pool/creation", "POST regions/us-central1/targetPools", `{"name":"x","instances":[` + strings.TrimSuffix(strings.Repeat(`"zones/us-central1-a/instances/node-0",`, 201), ",") + `]}`},
	{"pool/batch", "POST regions/us-central1/targetPools/tp/addInstance", `{"instances":[` + strings.TrimSuffix(strings.Repeat(`{"instance":"x"},`, 1001), ",") + `]}`},
	{"pool/member", "POST regions/us-central1/targetPools/tp/removeInstance", `{"instances":[{"instance":"zones/us-central1-a/instances/node-1"}]}`},
	{"pool/checks", "POST regions/us-central1/targetPools", `{"name":"x","healthChecks":["global/httpHealthChecks/hhc","global/httpHealthChecks/hhc2"]}`},
	{"pool/check-member", "POST regions/us-central1/targetPools/tp/removeHealthCheck", `{"healthChecks":[{"healthCheck":"global/httpHealthChecks/hhc"}]}`},
	{"pool/affinity", "POST regions/us-central1/targetPools", `{"name":"x","sessionAffinity":"HTTP_COOKIE"}`},
	{"pool/backup", "POST regions/us-central1/targetPools", `{"name":"x","failoverRatio":0.5}`},
	{"health/times", "POST global/httpHealthChecks", `{"name":"x","timeoutSec":9,"checkIntervalSec":8}`},
	{"health/thresholds", "POST global/healthChecks", `{"name":"x","type":"TCP","healthyThreshold":11}`},
	{"health/port", "POST global/healthChecks", `{"name":"x","type":"TCP","tcpHealthCheck":{"port":70000}}`},
	{"health/path", "POST global/httpHealthChecks", `{"name":"x","requestPath":"healthz"}`},
	{"health/type", "POST global/healthChecks", `{"name":"x","type":"TCP","httpHealthCheck":{}}`},
	{"health/type", "POST regions/us-central1/healthChecks", `{"name":"x"}`},
	{"backend/scheme", "POST regions/us-central1/backendServices", `{"name":"x","loadBalancingScheme":"INTERNAL_MANAGED"}`},
	{"backend/protocol", "POST regions/us-central1/backendServices", `{"name":"x","protocol":"HTTP"}`},
	{"backend/health-check", "POST regions/us-central1/backendServices", `{"name":"x"}`},
	{"backend/health-check", "POST regions/us-central1/backendServices", `{"name":"x","healthChecks":["regions/europe-west1/healthChecks/hc"]}`},
	{"backend/port", "POST regions/us-central1/backendServices", `{"name":"x","portName":"http"}`},
	{"backend/group", "POST regions/europe-west1/backendServices", `{"name":"x","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig"}]}`},
	{"backend/mixed", "POST regions/us-central1/backendServices", `{"name":"x","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig"},{"group":"zones/us-central1-a/networkEndpointGroups/neg"}]}`},
	{"backend/endpoint-type", "POST regions/us-central1/backendServices", `{"name":"x","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/networkEndpointGroups/port"}]}`},
	{"backend/mode", "POST regions/us-central1/backendServices", `{"name":"x","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig","balancingMode":"UTILIZATION"}]}`},
	{"backend/affinity", "POST regions/us-central1/backendServices", `{"name":"x","sessionAffinity":"HTTP_COOKIE"}`},
	{"backend/network", "POST regions/us-central1/backendServices", `{"name":"x","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig"},{"group":"zones/us-central1-a/instanceGroups/ig3"}]}`},
	{"backend/draining", "POST regions/us-central1/backendServices", `{"name":"x","connectionDraining":{"drainingTimeoutSec":4000}}`},
	{"backend/two-groups", "POST regions/us-central1/backendServices", `{"name":"x","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig2"}]}`},
	{"group/zone", "POST zones/us-central1-a/instanceGroups/ig/addInstances", `{"instances":[{"instance":"zones/us-central1-b/instances/near"}]}`},
	{"group/network", "POST zones/us-central1-a/instanceGroups/ig/addInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/owned"}]}`},
	{"group/batch", "POST zones/us-central1-a/instanceGroups/ig/addInstances", `{"instances":[` + strings.TrimSuffix(strings.Repeat(`{"instance":"x"},`, 1001), ",") + `]}`},
	{"group/member", "POST zones/us-central1-a/instanceGroups/ig/addInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/node-0"}]}`},
	{"group/no-member", "POST zones/us-central1-a/instanceGroups/ig/removeInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/node-1"}]}`},
	{"group/ports", "POST zones/us-central1-a/instanceGroups", `{"name":"x","namedPorts":[{"name":"http","port":0}]}`},
	{"group/fingerprint", "POST zones/us-central1-a/instanceGroups/ig/setNamedPorts", `{"fingerprint":"AAAA"}`},
	{"endpoint/type", "POST zones/us-central1-a/networkEndpointGroups", `{"name":"x","networkEndpointType":"SERVERLESS"}`},
	{"endpoint/subnetwork", "POST zones/us-central1-a/networkEndpointGroups", `{"name":"x","network":"global/networks/own"}`},
	{"endpoint/default-port", "POST zones/us-central1-a/networkEndpointGroups", `{"name":"x","networkEndpointType":"GCE_VM_IP","defaultPort":80}`},
	{"endpoint/instance", "POST zones/us-central1-a/networkEndpointGroups/neg/attachNetworkEndpoints", `{"networkEndpoints":[{"ipAddress":"10.128.0.2"}]}`},
	{"endpoint/address", "POST zones/us-central1-a/networkEndpointGroups/neg/attachNetworkEndpoints", `{"networkEndpoints":[{"instance":"node-0","ipAddress":"10.128.0.99"}]}`},
	{"endpoint/port", "POST zones/us-central1-a/networkEndpointGroups/neg/attachNetworkEndpoints", `{"networkEndpoints":[{"instance":"node-0","port":80}]}`},
	{"endpoint/batch", "POST zones/us-central1-a/networkEndpointGroups/neg/attachNetworkEndpoints", `{"networkEndpoints":[` + strings.TrimSuffix(strings.Repeat(`{"instance":"x"},`, 501), ",") + `]}`},
	{"endpoint/attached", "POST zones/us-central1-a/networkEndpointGroups/neg/detachNetworkEndpoints", `{"networkEndpoints":[{"instance":"node-0"}]}`},
	{"route/next-hop", "POST global/routes", `{"name":"x","network":"global/networks/own","destRange":"10.10.0.0/24","priority":1}`},
	{"route/project", "POST global/routes", `{"name":"x","network":"global/networks/own","destRange":"10.10.0.0/24","priority":1,"nextHopInstance":"projects/other-project/zones/us-central1-a/instances/strange"}`},
	{"route/range", "POST global/routes", `{"name":"x","network":"global/networks/own","destRange":"10.10.0.1/24","priority":1,"nextHopIp":"10.0.0.9"}`},
	{"route/subnet", "POST global/routes", `{"name":"x","network":"global/networks/own","destRange":"10.4.1.0/24","priority":1,"nextHopIp":"10.0.0.9"}`},
	{"route/priority", "POST global/routes", `{"name":"x","network":"global/networks/own","destRange":"10.10.0.0/24","priority":65536,"nextHopIp":"10.0.0.9"}`},
}

// elsewhere are the rules that have a test of their own.
var elsewhere = []string{"common/authentication", "common/rights", "common/use", "common/rate", "common/busy", "common/unreachable", "address/used", "backend/protocol-used", "instance/tags"}

func TestEveryRuleRefuses(t *testing.T) {
	_, v := furnished(t)
	rules, seen := map[string]gce.Rule{}, map[string]bool{}
	for _, rule := range gce.Rules() {
		rules[rule.ID] = rule
	}
	for _, id := range elsewhere {
		seen[id] = true
	}
	before := v.raw("GET regions/us-central1/targetPools", "").text
	for _, tt := range refusals {
		seen[tt.rule] = true
		got := v.raw(tt.request, tt.body)
		want := rules[tt.rule].Status
		if want == 0 {
			want = http.StatusBadRequest
		}
		if got.rule != tt.rule || got.status != want {
			t.Errorf("%s: %s %.150s\n  answered %d by rule %q, want %d: %.300s", tt.rule, tt.request, tt.body, got.status, got.rule, want, got.text)
		}
	}
	for id, rule := range rules {
		if !seen[id] {
			t.Errorf("no test breaks the rule %s", id)
		}
		if (rule.Source == "guess") != (rule.IfWrong != "") {
			t.Errorf("rule %s: a guess, and only a guess, says what would change", id)
		}
	}
	if after := v.raw("GET regions/us-central1/targetPools", "").text; after != before {
		t.Errorf("refused requests changed something: %s", after)
	}
}

// What the document does not allow is refused, whatever the kind.
func TestDocumentRefuses(t *testing.T) {
	_, v := furnished(t)
	for _, tt := range []struct{ name, request, body, reason string }{
		{"unknown field", "POST regions/us-central1/targetPools", `{"name":"x","nonsense":1}`, "badRequest"},
		{"unknown inner field", "POST global/firewalls", `{"name":"x","allowed":[{"protocol":"tcp"}]}`, "badRequest"},
		{"field of another case", "POST regions/us-central1/forwardingRules", `{"name":"x","ipAddress":"1.2.3.4"}`, "badRequest"},
		{"type", "POST global/firewalls", `{"name":"x","priority":"high"}`, "badRequest"},
		{"number as text", "POST global/firewalls", `{"name":"x","priority":"1000"}`, "badRequest"},
		{"number too large", "POST global/firewalls", `{"name":"x","priority":3000000000}`, "badRequest"},
		{"fraction", "POST global/firewalls", `{"name":"x","priority":1.5}`, "badRequest"},
		{"list", "POST global/firewalls", `{"name":"x","sourceRanges":"10.0.0.0/8"}`, "badRequest"},
		{"base64", "PATCH regions/us-central1/backendServices/ex", `{"fingerprint":"%%"}`, "badRequest"},
		{"enum", "POST regions/us-central1/addresses", `{"name":"x","addressType":"PUBLIC"}`, "invalid"},
		{"name", "POST regions/us-central1/addresses", `{"name":"Upper"}`, "invalid"},
		{"required", "POST global/routes", `{"name":"x","network":"global/networks/own","destRange":"10.10.0.0/24"}`, "required"},
		{"path", "GET zones/US/instances", ``, "invalid"},
		{"query parameter", "GET zones/us-central1-a/instances?limit=3", ``, "badRequest"},
		{"page", "GET zones/us-central1-a/instances?maxResults=many", ``, "invalid"},
		{"boolean parameter", "GET aggregated/instances?returnPartialSuccess=1", ``, "invalid"},
		{"no JSON", "POST global/firewalls", `{`, "parseError"},
		{"no object", "POST global/firewalls", `[]`, "parseError"},
		{"no body", "POST global/firewalls", ``, "parseError"},
		{"surplus body", "DELETE global/firewalls/fw", `{"name":"fw"}`, "badRequest"},
		{"unknown method", "PATCH global/routes/r", `{}`, "notFound"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := v.raw(tt.request, tt.body)
			if got.reason != tt.reason || got.status/100 != 4 {
				t.Errorf("answered %d %s, want %s: %s", got.status, got.reason, tt.reason, got.text)
			}
		})
	}
}

// A field that only the API writes may come back as it was, as in a whole object that was read.
func TestReadModifyWriteOfAWholeObject(t *testing.T) {
	_, v := furnished(t)
	object := v.raw("GET regions/us-central1/backendServices/in", "").text
	if got := v.raw("PUT regions/us-central1/backendServices/in", object); got.status != 200 {
		t.Errorf("refused: %s", got.text)
	}
	forged := strings.Replace(object, `"id":"`, `"id":"9`, 1)
	is(t, "rule", v.raw("PUT regions/us-central1/backendServices/in", forged).rule, "common/output-only")
}

func TestSpecialRefusals(t *testing.T) {
	_, v := furnished(t)
	if got := v.raw("POST regions/us-central1/addresses", `{"name":"public","address":"34.64.9.9"}`); got.status != 200 {
		t.Fatal(got.text)
	}
	is(t, "rule", v.raw("DELETE regions/us-central1/addresses/public", "").rule, "address/used")
	machine := must(v.Instances.Get(project, zone, "node-0").Do())(t)
	is(t, "rule", v.raw("POST zones/us-central1-a/instances/node-0/setTags", fmt.Sprintf(`{"items":["Upper"],"fingerprint":%q}`, machine.Tags.Fingerprint)).rule, "instance/tags")
	service := must(v.RegionBackendServices.Get(project, region, "in").Do())(t)
	is(t, "rule", v.raw("PATCH regions/us-central1/backendServices/in", fmt.Sprintf(`{"protocol":"UDP","fingerprint":%q}`, service.Fingerprint)).rule, "backend/protocol-used")
	// The second group is balanced already: the machine is refused when it is added.
	for _, step := range [][2]string{
		{"POST zones/us-central1-a/instanceGroups", `{"name":"ig4"}`},
		{"POST regions/us-central1/backendServices", `{"name":"second","loadBalancingScheme":"INTERNAL","healthChecks":["global/healthChecks/hc"],"backends":[{"group":"zones/us-central1-a/instanceGroups/ig4"}]}`},
	} {
		if got := v.raw(step[0], step[1]); got.status != 200 {
			t.Fatal(got.text)
		}
	}
	is(t, "rule", v.raw("POST zones/us-central1-a/instanceGroups/ig4/addInstances", `{"instances":[{"instance":"zones/us-central1-a/instances/node-0"}]}`).rule, "backend/two-groups")
}
