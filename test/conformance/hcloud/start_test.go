package hcloud_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
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

// What answers in the place of the API, or refuses the token, when the process starts does not end it: it is tried again.
func TestStartThatMayPass(t *testing.T) {
	for name, broken := range map[string]fault.Fault{
		"{}":               {Status: http.StatusOK, Body: "{}"},
		"a list of no key": {Status: http.StatusOK, Body: `{"networks":null,"meta":{"pagination":{"page":1,"total_entries":0}}}`},
		"another list":     {Status: http.StatusOK, Body: `{"servers":[],"meta":{"pagination":{"page":1,"total_entries":0}}}`},
		"a page":           {Status: http.StatusOK, Body: "<html>log in</html>"},
		"a page of 404":    {Status: http.StatusNotFound, Body: "<html>not found</html>"},
		"503":              {Status: http.StatusServiceUnavailable},
		"401":              {Status: http.StatusUnauthorized},
	} {
		for _, by := range []string{"id", "name", "none"} {
			server, network := start(t, emulator.Options{})
			values := variables(server)
			values["HCLOUD_NETWORK"] = map[string]string{"id": strconv.FormatInt(network.ID, 10), "name": "cluster", "none": ""}[by]
			broken.Path = "/v1/**"
			server.AddFault(broken)
			driver, err := connect(t, values)
			if err == nil && by == "none" { // it asks for nothing at the start
				_, err = driver.Identity(t.Context())
				err = &cloud.Error{Failure: driver.Classify(err), Op: "asking whose the token is", Err: err}
			}
			if !cloud.MayPass(err) {
				t.Errorf("%s, network by %s: %v", name, by, err)
			}
			server.ClearFaults()
			if _, err := connect(t, values); err != nil {
				t.Errorf("%s, network by %s, afterwards: %v", name, by, err)
			}
		}
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
