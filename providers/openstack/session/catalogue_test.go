package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// The forms in which catalogues are seen to hold endpoints.
func TestFormsOfEndpoints(t *testing.T) {
	tests := []struct{ service, url, endpoint, resource string }{
		{config.ServiceNetwork, "http://h:9696", "http://h:9696/", "http://h:9696/v2.0/"},
		{config.ServiceNetwork, "https://h/networking/v2.0/", "https://h/networking/", "https://h/networking/v2.0/"},
		{config.ServiceBalancer, "http://h:9876", "http://h:9876/", "http://h:9876/v2.0/"},
		{config.ServiceBalancer, "https://h/load-balancer/v2", "https://h/load-balancer/", "https://h/load-balancer/v2.0/"},
		{config.ServiceBalancer, "https://h/load-balancer/v2.0", "https://h/load-balancer/", "https://h/load-balancer/v2.0/"},
		{config.ServiceSecrets, "https://h/key-manager", "https://h/key-manager/", "https://h/key-manager/v1/"},
		{config.ServiceSecrets, "https://h:9311/v1/", "https://h:9311/", "https://h:9311/v1/"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			c := catalogue{overrides: map[string]string{tt.service: tt.url}}
			version := "v2.0"
			if tt.service == config.ServiceSecrets {
				version = "v1"
			}
			client, err := (&session{}).service(c, tt.service, version)
			if err != nil || client.Endpoint != tt.endpoint || client.ResourceBase != tt.resource {
				t.Errorf("got %+v, %v", client, err)
			}
		})
	}
}

func TestCatalogue(t *testing.T) {
	c := catalogue{interfaceName: "internal", region: "two", entries: []tokens.CatalogEntry{
		{Type: config.ServiceCompute, Endpoints: []tokens.Endpoint{
			{Interface: "public", Region: "two", URL: "http://public"},
			{Interface: "internal", Region: "one", URL: "http://one"},
			{Interface: "internal", Region: "Second", RegionID: "two", URL: "http://two"},
		}},
	}}
	if got, err := c.endpoint(config.ServiceCompute); err != nil || got != "http://two/" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.endpoint(config.ServiceNetwork); !isMissing(err) {
		t.Errorf("error %v", err)
	}
	c.region = "three"
	if _, err := c.endpoint(config.ServiceCompute); !isMissing(err) {
		t.Errorf("error %v", err)
	}
}

func TestVersionOfOctavia(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusMultipleChoices)
		_, _ = fmt.Fprint(w, `{"versions": [{"id": "v2.0"}, {"id": "v2.9"}, {"id": "v2.26"}]}`)
	}))
	t.Cleanup(server.Close)
	client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: server.URL + "/"}
	got, err := readOctaviaVersion(t.Context(), client)
	if err != nil || got != (api.V(2, 26)) || got.AtLeast(2, 27) || !got.AtLeast(2, 9) || got.AtLeast(3, 0) {
		t.Errorf("%v, %v", got, err)
	}
}
