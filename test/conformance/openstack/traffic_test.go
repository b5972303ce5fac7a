package openstack_test

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	octavia "github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

var _ conformance.Witness = (*control)(nil)

// carriedOut says what each write of the APIs carries out. Security groups are not managed here.
func carriedOut() map[string][]cloud.Operation {
	const balancers = " /load-balancer/v2.0/lbaas/"
	routes := map[string][]cloud.Operation{
		"PUT" + balancers + "pools/{id}/members": {{Verb: cloud.Update, Kind: "member"}},
	}
	for kind, path := range map[cloud.Kind]string{
		"load balancer": balancers + "loadbalancers", "listener": balancers + "listeners", "pool": balancers + "pools", "health monitor": balancers + "healthmonitors",
		"floating IP": " /network/v2.0/floatingips",
	} {
		routes["POST"+path] = []cloud.Operation{{Verb: cloud.Create, Kind: kind}}
		routes["PUT"+path+"/{id}"] = []cloud.Operation{{Verb: cloud.Update, Kind: kind}}
		routes["DELETE"+path+"/{id}"] = []cloud.Operation{{Verb: cloud.Delete, Kind: kind}}
	}
	return routes
}

// Writes reads the relay's log, without logins.
func (c *control) Writes() (writes []conformance.Write) {
	for _, r := range c.relay.Book.Requests() {
		if !traffic.Mutating(r.Method) || r.Status >= http.StatusBadRequest || strings.HasPrefix(r.Path, "/identity/") {
			continue
		}
		w := conformance.Write{Route: r.Route, Request: r.Method + " " + r.Path + " " + r.Body}
		var body struct {
			Listener octavia.Listener `json:"listener"`
		}
		_ = json.Unmarshal([]byte(r.Body), &body) // not all have one
		if l := body.Listener; r.Method == http.MethodPost && l.Port != 0 && !strings.HasPrefix(l.Name, "trial_") {
			w.Key = l.Key()
		}
		writes = append(writes, w)
	}
	return writes
}
