package openstack

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// The forms in which catalogues are seen to hold endpoints.
func TestFormsOfEndpoints(t *testing.T) {
	tests := []struct{ service, url, endpoint, resource string }{
		{serviceNetwork, "http://h:9696", "http://h:9696/", "http://h:9696/v2.0/"},
		{serviceNetwork, "https://h/networking/v2.0/", "https://h/networking/", "https://h/networking/v2.0/"},
		{serviceBalancer, "http://h:9876", "http://h:9876/", "http://h:9876/v2.0/"},
		{serviceBalancer, "https://h/load-balancer/v2", "https://h/load-balancer/", "https://h/load-balancer/v2.0/"},
		{serviceBalancer, "https://h/load-balancer/v2.0", "https://h/load-balancer/", "https://h/load-balancer/v2.0/"},
		{serviceSecrets, "https://h/key-manager", "https://h/key-manager/", "https://h/key-manager/v1/"},
		{serviceSecrets, "https://h:9311/v1/", "https://h:9311/", "https://h:9311/v1/"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			c := catalogue{overrides: map[string]string{tt.service: tt.url}}
			version := "v2.0"
			if tt.service == serviceSecrets {
				version = "v1"
			}
			client, err := (&session{}).service(c, tt.service, version)
			if err != nil || client.Endpoint != tt.endpoint || client.ResourceBase != tt.resource {
				t.Errorf("got %+v, %v", client, err)
			}
		})
	}
}

func TestFormsOfTheMachineAPI(t *testing.T) {
	tests := []struct{ path, maximum, endpoint, microversion string }{
		{"/compute", "2.93", "/compute/v2.1/", computeMicroversion},
		{"/compute/v2.1", "2.69", "/compute/v2.1/", computeMicroversion},
		{"/compute/v2.1/f00", "2.68", "/compute/v2.1/f00/", ""},
		{"/compute/v2.1/f00/", "", "/compute/v2.1/f00/", ""},
	}
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.maximum, func(t *testing.T) {
			f := newFakeCloud(t)
			f.endpoints["compute"], f.maximum = tt.path, tt.maximum
			d, err := open(t, file(t, f.conf(byPassword, "[LoadBalancer]\nenabled=false")))
			if err != nil {
				t.Fatal(err)
			}
			client := driverOf(t, d).compute
			if client.Endpoint != f.URL+tt.endpoint || client.Microversion != tt.microversion {
				t.Errorf("endpoint %s, microversion %q", client.Endpoint, client.Microversion)
			}
		})
	}
}

func TestCatalogue(t *testing.T) {
	c := catalogue{interfaceName: "internal", region: "two", entries: []tokens.CatalogEntry{
		{Type: serviceCompute, Endpoints: []tokens.Endpoint{
			{Interface: "public", Region: "two", URL: "http://public"},
			{Interface: "internal", Region: "one", URL: "http://one"},
			{Interface: "internal", Region: "Second", RegionID: "two", URL: "http://two"},
		}},
	}}
	if got, err := c.endpoint(serviceCompute); err != nil || got != "http://two/" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.endpoint(serviceNetwork); !isMissing(err) {
		t.Errorf("error %v", err)
	}
	c.region = "three"
	if _, err := c.endpoint(serviceCompute); !isMissing(err) {
		t.Errorf("error %v", err)
	}
}

func TestSeveralRegionsAndNoneChosen(t *testing.T) {
	f := newFakeCloud(t)
	f.answers["POST /v3/auth/tokens"] = `201 {"token": {"project": {"id": "project-1"}, "catalog": [
		{"type": "compute", "endpoints": [{"interface": "public", "region": "a", "url": "` + f.URL + `/compute/v2.1"}, {"interface": "public", "region": "b", "url": "http://nowhere"}]}]}}`
	c, warnings := environment(file(t, f.conf(byPassword)), nil)
	if _, err := New(t.Context(), c); err == nil || len(*warnings) != 1 {
		t.Errorf("error %v, warnings %q", err, *warnings)
	}
}

func TestVersionOfOctavia(t *testing.T) {
	f := newFakeCloud(t)
	client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: f.URL + "/load-balancer/"}
	got, err := readOctaviaVersion(t.Context(), client)
	if err != nil || got != (apiVersion{2, 26}) || got.atLeast(2, 27) || !got.atLeast(2, 9) || got.atLeast(3, 0) {
		t.Errorf("%v, %v", got, err)
	}
}
