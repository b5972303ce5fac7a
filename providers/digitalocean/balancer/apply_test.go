package balancer

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// A balancer of upstream's is known by its name alone. Unless it gets its ownership tags it must not get another name.
func TestNothingIsRenamedWithoutOwnershipTags(t *testing.T) {
	for name, tt := range map[string]struct {
		tagging int
		name    string
		besides string // another field that changes
		want    []string
	}{
		"marked":                 {http.StatusNoContent, "new", "", []string{"PUT new"}},
		"not marked":             {http.StatusServiceUnavailable, "new", "", nil},
		"tags are refused":       {http.StatusForbidden, "new", "", nil},
		"and more has to change": {http.StatusForbidden, "new", object.FieldType, []string{"PUT old"}},
		"not marked, as is":      {http.StatusForbidden, "old", object.FieldType, []string{"PUT old"}},
	} {
		t.Run(name, func(t *testing.T) {
			var puts []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch r.Method {
				case http.MethodPut:
					var sent struct{ Name string }
					if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
						t.Error(err)
					}
					puts = append(puts, r.Method+" "+sent.Name)
					_, _ = io.WriteString(w, `{"load_balancer":{"id":"lb","name":"`+tt.name+`"}}`)
				default:
					w.WriteHeader(tt.tagging)
				}
			}))
			defer server.Close()
			client, err := godo.New(server.Client(), godo.SetBaseURL(server.URL+"/"))
			if err != nil {
				t.Fatal(err)
			}
			change := cloud.Change{
				After:      &cloud.Balancer{Name: tt.name, OwnershipTags: []string{"ccm-cluster:c"}, ProviderFields: map[string]string{object.FieldType: config.TypeNetwork}},
				Operations: []cloud.Operation{{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldOwnershipTags}, {Verb: cloud.Update, Kind: cloud.KindBalancer, Field: cloud.FieldName}},
			}
			if tt.besides != "" {
				change.Operations = append(change.Operations, cloud.Operation{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: tt.besides})
			}
			_, err = (&Balancers{API: client.LoadBalancers, Tagging: owner.Client{API: client.Tags}}).update(t.Context(), godo.LoadBalancer{ID: "lb", Name: "old"}, change)
			if tagged := tt.tagging == http.StatusNoContent; (err == nil) != tagged || !slices.Equal(puts, tt.want) {
				t.Errorf("%q, %v", puts, err)
			}
		})
	}
}
