package desired

import (
	"errors"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// variables are those that give Services the default of an annotation. unset is the value that is as good as none.
var variables = []struct {
	name  string
	key   annotation.Key
	unset string
}{
	{config.EnvLocation, location, ""}, {config.EnvNetworkZone, networkZone, ""}, {config.EnvType, size, ""}, {config.EnvAlgorithm, Algorithm, ""},
	{config.EnvPrivateIP, usePrivateIP, "false"}, {config.EnvNoPrivateIngress, NoPrivateIngress, "false"}, {config.EnvNoIPv6, NoIPv6, "false"},
	{config.EnvNoPublicNetwork, internal, ""}, {config.EnvProxyProtocol, proxyProtocol, ""}, {config.EnvSubnet, Subnet, ""},
	{config.EnvHealthInterval, healthInterval, "0"}, {config.EnvHealthTimeout, healthTimeout, "0"}, {config.EnvHealthRetries, healthRetries, "0"},
}

// ReadDefaults returns the values of annotations that the environment gives to Services without them, and everything
// that is wrong with them.
func ReadDefaults(lookup func(name string) string, network string) (map[string]string, error) {
	given, names := map[string]string{}, map[string]string{}
	for _, v := range variables {
		upstreams := v.key.Spellings()[0]
		if text := strings.TrimSpace(lookup(v.name)); text != v.unset {
			given[upstreams], names[upstreams] = text, v.name
		}
	}
	values, problems := Annotations().Parse(given)
	var errs []error
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, &cloud.Invalid{Field: names[p.Key], Value: p.Value, Want: p.Why()})
		}
	}
	for _, v := range variables {
		if values[v.key.Name] == v.unset {
			delete(values, v.key.Name)
		}
	}
	if values[location.Name] != "" && values[networkZone.Name] != "" {
		errs = append(errs, &cloud.Invalid{Field: config.EnvNetworkZone, Value: values[networkZone.Name], Want: "want " + config.EnvLocation + " or " + config.EnvNetworkZone + ", not both"})
	}
	if usePrivateIP.Bool(values) && network == "" {
		errs = append(errs, &cloud.Invalid{Field: config.EnvPrivateIP, Value: yes, Want: "want " + config.EnvNetwork + " too, which has the private addresses"})
	}
	return values, errors.Join(errs...)
}
