package desired

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

func given(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// Every variable about load balancers is the default of an annotation, in its canonical form. One that says what holds
// anyway says nothing.
func TestDefaults(t *testing.T) {
	got, err := ReadDefaults(given(map[string]string{
		config.EnvLocation: " fsn1 ", config.EnvType: "lb21", config.EnvAlgorithm: "Least_Connections", config.EnvPrivateIP: "1", config.EnvNoPrivateIngress: "t",
		config.EnvNoIPv6: "TRUE", config.EnvNoPublicNetwork: "true", config.EnvProxyProtocol: "F", config.EnvSubnet: "10.0.1.9/24",
		config.EnvHealthInterval: "20s", config.EnvHealthTimeout: "2s", config.EnvHealthRetries: "4",
	}), "cluster")
	want := map[string]string{
		location.Name: "fsn1", size.Name: "lb21", Algorithm.Name: "least_connections", usePrivateIP.Name: yes, NoPrivateIngress.Name: yes, NoIPv6.Name: yes,
		internal.Name: yes, proxyProtocol.Name: "false", Subnet.Name: "10.0.1.0/24", healthInterval.Name: "20", healthTimeout.Name: "2", healthRetries.Name: "4",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, defaults (-want +got):\n%s", err, diff)
	}
	none, err := ReadDefaults(given(map[string]string{
		config.EnvPrivateIP: "false", config.EnvNoPrivateIngress: "F", config.EnvNoIPv6: "0", config.EnvHealthInterval: "0", config.EnvHealthRetries: " 0",
	}), "")
	if len(none) > 0 || err != nil {
		t.Errorf("what says nothing: %v, %v", none, err)
	}
}

// All problems are told at once, each by its variable.
func TestWrongDefaults(t *testing.T) {
	wrong := map[string]string{
		config.EnvNetworkZone: "eu-central", config.EnvLocation: "fsn1", config.EnvAlgorithm: "random", config.EnvPrivateIP: "true", config.EnvNoIPv6: "yes",
		config.EnvNoPublicNetwork: "-", config.EnvProxyProtocol: "v2", config.EnvSubnet: "10.0.0.1", config.EnvHealthInterval: "x", config.EnvHealthTimeout: "-1s", config.EnvHealthRetries: "1.5",
	}
	_, err := ReadDefaults(given(wrong), "")
	if err == nil {
		t.Fatal("no problem")
	}
	for name := range wrong {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not told: %v", name, err)
		}
	}
}
