// Package fuzz_test sends anything to the emulator. It has no vendor's library in its program, whose
// size would slow the fuzzer down a hundredfold.
package fuzz_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
)

// bodies are right for some method each.
var bodies = []string{
	`{"name":"x","machineType":"zones/us-central1-a/machineTypes/m","networkInterfaces":[{"accessConfigs":[{}],"aliasIpRanges":[{"ipCidrRange":"10.4.0.0/24"}]}]}`,
	`{"name":"x","network":"global/networks/default","ipCidrRange":"10.0.0.0/24","secondaryIpRanges":[{"rangeName":"pods","ipCidrRange":"10.4.0.0/16"}]}`,
	`{"name":"x","addressType":"INTERNAL","address":"10.128.9.9"}`,
	`{"name":"x","allowed":[{"IPProtocol":"tcp","ports":["80-90"]}],"sourceRanges":["10.0.0.0/8"],"targetTags":["a"]}`,
	`{"name":"x","target":"regions/us-central1/targetPools/x","portRange":"80","IPAddress":"34.64.0.1","labels":null}`,
	`{"name":"x","instances":["zones/us-central1-a/instances/node-0"],"healthChecks":["global/httpHealthChecks/x"],"failoverRatio":0.5,"backupPool":"x"}`,
	`{"name":"x","type":"HTTP","httpHealthCheck":{"port":80,"requestPath":"/"},"checkIntervalSec":8,"timeoutSec":1}`,
	`{"name":"x","healthChecks":["global/healthChecks/x"],"backends":[{"group":"zones/us-central1-a/instanceGroups/x"}],"connectionDraining":{"drainingTimeoutSec":60}}`,
	`{"instances":[{"instance":"zones/us-central1-a/instances/node-0"}]}`,
	`{"name":"x","networkEndpointType":"GCE_VM_IP"}`,
	`{"networkEndpoints":[{"instance":"node-0","ipAddress":"10.128.0.2","port":80}]}`,
	`{"name":"x","destRange":"10.9.0.0/24","network":"global/networks/default","priority":1,"nextHopInstance":"zones/us-central1-a/instances/node-0"}`,
	`{}`,
}

// FuzzRequests sends any body and any query to any method: the answer is always one of the API's.
func FuzzRequests(f *testing.F) {
	methods := discovery.Emulated()
	for i := range methods {
		f.Add(uint8(i), "node-0", bodies[i%len(bodies)], "filter=name eq x&fields=items(id)")
	}
	f.Add(uint8(3), "node-0", `{"networkInterfaces":[null]}`, "maxResults=0")
	server := gce.New(gce.Options{})
	server.SeedInstances(2)
	f.Fuzz(func(t *testing.T, index uint8, name, body, query string) {
		method := discovery.Load().Methods[methods[int(index)%len(methods)]]
		path := method.Path
		for _, fill := range [][2]string{{"{project}", "test-project"}, {"{zone}", "us-central1-a"}, {"{region}", "us-central1"}} {
			path = strings.ReplaceAll(path, fill[0], fill[1])
		}
		if before, after, ok := strings.Cut(path, "{"); ok {
			_, after, _ = strings.Cut(after, "}")
			path = before + url.PathEscape(name) + after
		}
		if strings.HasSuffix(path, "/wait") {
			t.Skip("an operation that runs holds the answer back")
		}
		r, err := http.NewRequestWithContext(t.Context(), method.HTTPMethod, "http://emulator/compute/v1/"+path+"?"+url.PathEscape(query), strings.NewReader(body))
		if err != nil {
			t.Skip(err)
		}
		r.Header.Set("Authorization", "Bearer test-token")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code == http.StatusOK || (w.Code >= 300 && w.Code < 400) { // redirected by the router: an empty name
			return
		}
		var answer struct{ Error struct{ Code int } }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Error.Code != w.Code || w.Code >= 500 {
			t.Errorf("%s %s %q: %d %s", method.HTTPMethod, path, body, w.Code, w.Body)
		}
	})
}
