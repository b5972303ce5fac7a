package hcloud_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// The network is given by id or name, and this machine has to be in it.
func TestNetwork(t *testing.T) {
	server, network := start(t, emulator.Options{})
	inside := server.SeedMachines(1)[0]
	outside := server.AddMachine(emulator.Machine{Name: "outside"})
	values := variables(server)
	for _, text := range []string{"cluster", strconv.FormatInt(network.ID, 10)} {
		values["HCLOUD_NETWORK"] = text
		identity, err := mustConnect(t, values).Identity(t.Context())
		if err != nil || identity != (cloud.Identity{Account: "network " + strconv.FormatInt(network.ID, 10)}) {
			t.Errorf("%s: %+v, %v", text, identity, err)
		}
	}
	values["HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK"] = "false"
	server.SetSelf(inside.ID)
	if _, err := connect(t, values); err != nil {
		t.Errorf("on a machine of the network: %v", err)
	}
	server.SetSelf(outside)
	if _, err := connect(t, values); err == nil || !strings.Contains(err.Error(), "HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK") {
		t.Errorf("on a machine elsewhere: %v", err)
	}
	values["HCLOUD_METADATA_URL"] = "http://127.0.0.1:1"
	if _, err := connect(t, values); err == nil || !strings.Contains(err.Error(), "HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK") {
		t.Errorf("on a machine without metadata: %v", err)
	}
	values["HCLOUD_NETWORK"] = "another"
	if _, err := connect(t, values); err == nil || !strings.Contains(err.Error(), "HCLOUD_NETWORK") {
		t.Errorf("a network that is not there: %v", err)
	}
}

// Whose a token is shows by the network: a rotated token sees it, that of another project does not.
// Without a network nobody knows.
func TestIdentity(t *testing.T) {
	server, _ := start(t, emulator.Options{})
	server.SetToken("rotated", "default")
	server.SetToken("elsewhere", "another project")
	values := variables(server)
	driver := mustConnect(t, values)
	first, err := driver.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	values["HCLOUD_TOKEN"] = "rotated"
	if again, err := driver.Identity(t.Context()); err != nil || again != first {
		t.Errorf("a rotated token: %+v, %v", again, err)
	}
	values["HCLOUD_TOKEN"] = "elsewhere"
	if other, err := driver.Identity(t.Context()); err == nil {
		t.Errorf("the token of another project: %+v", other)
	}
	values["HCLOUD_NETWORK"] = ""
	if unknown, err := mustConnect(t, values).Identity(t.Context()); err != nil || unknown != (cloud.Identity{Unknown: true}) {
		t.Errorf("without a network: %+v, %v", unknown, err)
	}
	values["HCLOUD_TOKEN"] = "wrong"
	if _, err := mustConnect(t, values).Identity(t.Context()); err == nil {
		t.Error("a wrong token is taken")
	}
}
