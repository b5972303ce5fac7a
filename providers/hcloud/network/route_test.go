package network

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestAnswers: only an action that has ended, or goes on, says what became of a route.
func TestAnswers(t *testing.T) {
	route := cloud.Route{Destination: netip.MustParsePrefix("10.244.1.0/24"), NextHop: netip.MustParseAddr("10.0.0.2"), Target: "1"}
	for answer, understood := range map[string]bool{
		`{"action":{"id":1,"status":"success"}}`: true,
		`{"action":{"id":1,"status":"running"}}`: true,
		`{"action":{"id":1}}`:                    false,
		`{"action":{"status":"success"}}`:        false,
		`{}`:                                     false,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		}))
		routes := &Routes{API: hcloud.NewClient(hcloud.WithEndpoint(server.URL)), ID: 4}
		for what, err := range map[string]error{
			"creation": routes.CreateRoute(t.Context(), cloud.Owner{}, route), "deletion": routes.DeleteRoute(t.Context(), cloud.Owner{}, route),
		} {
			if errors.Is(err, cloud.ErrIncomplete) == understood {
				t.Errorf("%s answered with %s: error %v", what, answer, err)
			}
		}
		server.Close()
	}
}
