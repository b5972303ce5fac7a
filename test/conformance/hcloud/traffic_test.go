package hcloud_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

var _ conformance.Witness = control{}

// carriedOut says what each write of the API carries out.
var carriedOut = map[string][]cloud.Operation{
	"POST /certificates":                                         {{Verb: cloud.Create, Kind: "certificate"}},
	"PUT /certificates/{id}":                                     {{Verb: cloud.Update, Kind: "certificate"}},
	"POST /certificates/{id}/actions/retry":                      {{Verb: cloud.Update, Kind: "certificate"}},
	"DELETE /certificates/{id}":                                  {{Verb: cloud.Delete, Kind: "certificate"}},
	"POST /load_balancers":                                       {{Verb: cloud.Create, Kind: "load_balancer"}},
	"PUT /load_balancers/{id}":                                   {{Verb: cloud.Update, Kind: "load_balancer"}, {Verb: cloud.Update, Kind: "network_label"}},
	"POST /load_balancers/{id}/actions/change_type":              {{Verb: cloud.Update, Kind: "load_balancer"}},
	"POST /load_balancers/{id}/actions/change_algorithm":         {{Verb: cloud.Update, Kind: "load_balancer"}},
	"DELETE /load_balancers/{id}":                                {{Verb: cloud.Delete, Kind: "load_balancer"}},
	"POST /load_balancers/{id}/actions/enable_public_interface":  {{Verb: cloud.Create, Kind: "public_interface"}},
	"POST /load_balancers/{id}/actions/disable_public_interface": {{Verb: cloud.Delete, Kind: "public_interface"}},
	"POST /load_balancers/{id}/actions/attach_to_network":        {{Verb: cloud.Create, Kind: "network"}},
	"POST /load_balancers/{id}/actions/detach_from_network":      {{Verb: cloud.Delete, Kind: "network"}},
	"POST /load_balancers/{id}/actions/add_target":               {{Verb: cloud.Create, Kind: "target"}},
	"POST /load_balancers/{id}/actions/remove_target":            {{Verb: cloud.Delete, Kind: "target"}},
	"POST /load_balancers/{id}/actions/add_service":              {{Verb: cloud.Create, Kind: "service"}},
	"POST /load_balancers/{id}/actions/update_service":           {{Verb: cloud.Update, Kind: "service"}},
	"POST /load_balancers/{id}/actions/delete_service":           {{Verb: cloud.Delete, Kind: "service"}},
	"POST /load_balancers/{id}/actions/change_dns_ptr":           {{Verb: cloud.Create, Kind: "dns_ptr"}, {Verb: cloud.Update, Kind: "dns_ptr"}},
}

// write returns what a request of the emulator's log is.
func write(r traffic.Request) conformance.Write {
	var body struct {
		Port   int `json:"listen_port"`
		Server struct {
			ID int `json:"id"`
		} `json:"server"`
	}
	_ = json.Unmarshal([]byte(r.Body), &body) // not all have one
	w := conformance.Write{Route: strings.Replace(r.Route, "/v1", "", 1), Request: r.Method + " " + r.Path + " " + r.Body}
	switch {
	case body.Port != 0:
		w.Key = "service " + strconv.Itoa(body.Port)
	case body.Server.ID != 0:
		w.Key = "server " + strconv.Itoa(body.Server.ID)
	}
	return w
}

// Writes reads the emulator's log.
func (c control) Writes() (writes []conformance.Write) {
	for _, r := range c.server.Requests() {
		if traffic.Mutating(r.Method) && r.Status < http.StatusBadRequest {
			writes = append(writes, write(r))
		}
	}
	return writes
}
