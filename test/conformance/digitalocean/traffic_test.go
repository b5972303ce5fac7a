package digitalocean_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

var _ conformance.Witness = control{}

// ownershipTags are the tags that say whose a balancer is.
var ownershipTags = cloud.Operation{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldOwnershipTags}

// carriedOut says what each write of the API carries out. The tag of a Service goes with its balancer.
var carriedOut = map[string][]cloud.Operation{
	"POST /v2/load_balancers":                 {{Verb: cloud.Create, Kind: cloud.KindBalancer}},
	"PUT /v2/load_balancers/{id}":             {{}},
	"DELETE /v2/load_balancers/{id}":          {{Verb: cloud.Delete, Kind: cloud.KindBalancer}},
	"POST /v2/load_balancers/{id}/droplets":   {{Verb: cloud.Create, Kind: cloud.KindTarget}},
	"DELETE /v2/load_balancers/{id}/droplets": {{Verb: cloud.Delete, Kind: cloud.KindTarget}},
	"POST /v2/tags":                           {ownershipTags},
	"POST /v2/tags/{name}/resources":          {ownershipTags},
	"DELETE /v2/tags/{name}/resources":        {ownershipTags},
	"DELETE /v2/tags/{name}":                  {{Verb: cloud.Delete, Kind: cloud.KindBalancer}},
}

// Writes reads the emulator's log. A request for droplets is one write for each.
func (c control) Writes() (writes []conformance.Write) {
	for _, r := range c.server.Requests() {
		if traffic.Mutating(r.Method) && r.Status < http.StatusBadRequest && !strings.Contains(r.Body, `"validate_only":true`) {
			one := conformance.Write{Route: r.Route, Request: r.Method + " " + r.Path + " " + r.Body}
			if !strings.HasSuffix(r.Route, "/droplets") {
				writes = append(writes, one)
				continue
			}
			var targets struct {
				IDs []int `json:"droplet_ids"`
			}
			_ = json.Unmarshal([]byte(r.Body), &targets) // the emulator has read it
			slices.Sort(targets.IDs)                     // all at once
			for _, id := range targets.IDs {
				one.Key = strconv.Itoa(id)
				writes = append(writes, one)
			}
		}
	}
	return writes
}
