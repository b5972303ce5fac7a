package openstack

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

func TestFormsOfTheMachineAPI(t *testing.T) {
	tests := []struct{ path, maximum, endpoint, microversion string }{
		{"/compute", "2.93", "/compute/v2.1/", session.ComputeMicroversion},
		{"/compute/v2.1", "2.69", "/compute/v2.1/", session.ComputeMicroversion},
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
			client := d.Account.(*Driver).services.Compute
			if client.Endpoint != f.URL+tt.endpoint || client.Microversion != tt.microversion {
				t.Errorf("endpoint %s, microversion %q", client.Endpoint, client.Microversion)
			}
		})
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
