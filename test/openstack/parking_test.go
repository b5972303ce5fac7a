package openstack_test

import (
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// TestParking hides a server and takes it out again under another name.
func TestParking(t *testing.T) {
	p := openstack.NewProject(t, openstack.ProjectOptions{})
	parking := p.NewParking(t)
	id := parking.Take(t, "first")
	if err := parking.Park(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	pages, err := servers.List(p.Compute, nil).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := servers.ExtractServers(pages); err != nil || len(found) != 0 {
		t.Errorf("%d servers while the only one is parked, %v", len(found), err)
	}
	if again := parking.Take(t, "second"); again != id {
		t.Errorf("took %s, not %s that was parked", again, id)
	}
	if found, err := servers.Get(t.Context(), p.Compute, id).Extract(); err != nil || found.Name != "second" {
		t.Errorf("found %+v, %v", found, err)
	}
}
