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

// The paths of objects behind the relay.
const (
	balancers = " /load-balancer/v2.0/lbaas/"
	networks  = " /network/v2.0/"
)

// carriedOut says what each write of the APIs carries out.
func carriedOut() map[string][]cloud.Operation {
	routes := map[string][]cloud.Operation{
		"PUT" + balancers + "pools/{id}/members": {{Verb: cloud.Update, Kind: "member"}},
		"PUT" + networks + "ports/{id}": {
			{Verb: cloud.Create, Kind: "port in the security group"}, {Verb: cloud.Delete, Kind: "port in the security group"},
		},
	}
	for kind, path := range map[cloud.Kind]string{
		"load balancer": balancers + "loadbalancers", "listener": balancers + "listeners", "pool": balancers + "pools", "health monitor": balancers + "healthmonitors",
		"floating IP": networks + "floatingips", "security group": networks + "security-groups", "security group rule": networks + "security-group-rules",
	} {
		routes["POST"+path] = []cloud.Operation{{Verb: cloud.Create, Kind: kind}}
		routes["PUT"+path+"/{id}"] = []cloud.Operation{{Verb: cloud.Update, Kind: kind}}
		routes["DELETE"+path+"/{id}"] = []cloud.Operation{{Verb: cloud.Delete, Kind: kind}}
	}
	return routes
}

// ofNewGroup is the route of the requests that follow the creation of a security group.
const ofNewGroup = "DELETE" + networks + "security-group-rules/{id} of a new group"

// Writes reads the relay's log, without logins.
func (c *control) Writes() (writes []conformance.Write) {
	before := ""
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
		if (before == "POST"+networks+"security-groups" || before == ofNewGroup) && ofNewGroup == w.Route+" of a new group" {
			w.Route = ofNewGroup
		}
		before = w.Route
		writes = append(writes, w)
	}
	return writes
}
