package digitalocean_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

func TestInstance(t *testing.T) {
	const hostname, internal, external = cloud.AddressHostname, cloud.AddressInternalIP, cloud.AddressExternalIP
	tests := []struct {
		name string
		edit func(*emulator.Droplet)
		want []cloud.Address
	}{
		{"all", func(d *emulator.Droplet) { d.PublicIPv6 = "2001:db8::1" }, []cloud.Address{
			{Type: hostname, Address: "web"}, {Type: internal, Address: "10.0.0.1"}, {Type: external, Address: "192.0.2.1"}, {Type: external, Address: "2001:db8::1"},
		}},
		{"no private one", func(d *emulator.Droplet) { d.PrivateIPv4 = "" }, []cloud.Address{
			{Type: hostname, Address: "web"}, {Type: external, Address: "192.0.2.1"},
		}},
		{"no public one", func(d *emulator.Droplet) { d.PublicIPv4 = "" }, []cloud.Address{
			{Type: hostname, Address: "web"}, {Type: internal, Address: "10.0.0.1"},
		}},
		{"none", func(d *emulator.Droplet) { d.PublicIPv4, d.PrivateIPv4 = "", "" }, []cloud.Address{{Type: hostname, Address: "web"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, 0, nil, nil)
			d := emulator.Droplet{Name: "web", Status: "active", Region: "nyc3", Size: "s-1vcpu-1gb", PublicIPv4: "192.0.2.1", PrivateIPv4: "10.0.0.1"}
			test.edit(&d)
			l.server.Droplets.Add(d)
			found, err := l.driver.Machines.FindByName(t.Context(), "web")
			l.must(err)
			if len(found) != 1 {
				t.Fatalf("found %d", len(found))
			}
			if diff := cmp.Diff(test.want, found[0].Addresses); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstanceWithoutRegion(t *testing.T) {
	l := newLab(t, 0, nil, nil)
	id := l.server.Droplets.Add(emulator.Droplet{Name: "web", Status: "archive"})
	list, err := l.driver.Machines.List(t.Context())
	l.must(err)
	if len(list.Items) != 1 || list.Items[0].Region != "" || list.Items[0].State != cloud.StateRunning {
		t.Errorf("droplet %d = %+v", id, list.Items)
	}
}

func TestFindByName(t *testing.T) {
	l := newLab(t, 0, nil, nil)
	l.server.Droplets.Add(emulator.Droplet{ID: 7, Name: "Web-1", Region: "nyc3", PrivateIPv4: "10.0.0.7"})
	l.server.Droplets.Add(emulator.Droplet{ID: 8, Name: "DB", Region: "nyc3", PrivateIPv4: "10.0.0.8"})
	l.server.Droplets.Add(emulator.Droplet{ID: 9, Name: "db", Region: "nyc3", PublicIPv4: "192.0.2.9"})
	for name, want := range map[string]cloud.InstanceID{"web-1": "7", "Web-1": "7", "db": "9", "10.0.0.8": "8", "192.0.2.9": "9", "none": "", "10.0.0.9": ""} {
		found, err := l.driver.Machines.FindByName(t.Context(), name)
		l.must(err)
		var got cloud.InstanceID
		if len(found) > 0 {
			got = found[0].ID
		}
		if got != want || len(found) > 1 {
			t.Errorf("%s: %d found, %q; want %q", name, len(found), got, want)
		}
	}
}

// TestCutList is incomplete where the API's own count says so.
func TestCutList(t *testing.T) {
	l := newLab(t, 3, nil, nil)
	l.server.AddFault(fault.Fault{Path: "/v2/droplets", List: &fault.List{Keep: 1}})
	list, err := l.driver.Machines.List(t.Context())
	if err == nil && list.Complete {
		t.Errorf("%d of 3 droplets are called complete", len(list.Items))
	}
}

func TestProviderID(t *testing.T) {
	driver := newLab(t, 0, nil, nil).driver
	for id, want := range map[string]cloud.InstanceID{
		"digitalocean://123": "123", "digitalocean://0": "", "digitalocean://-1": "", "digitalocean://1.5": "",
		"digitalocean:///123": "", "aws:///x/i-1": "", "123": "", "digitalocean://99999999999999999999": "",
	} {
		if got, err := driver.Machines.ParseProviderID(id); got != want || (err == nil) == (want == "") {
			t.Errorf("%s: %q, %v; want %q", id, got, err, want)
		}
	}
}
