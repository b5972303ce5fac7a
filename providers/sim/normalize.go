package sim

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// Normalize implements cloud.Balancers.
func (d *Driver) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	check, err := health(in.Spec)
	if err != nil {
		return cloud.Balancer{}, notes(in.Spec), err
	}
	b := cloud.Balancer{
		Name: name(in), Scope: cloud.ScopeOf(Internal.Bool(in.Options)), DualStack: in.DualStack, Health: check,
		ProviderFields: map[string]string{fieldAlgorithm: Algorithm.In(in.Options), fieldProxyProtocol: strconv.FormatBool(ProxyProtocol.Bool(in.Options))},
		OwnershipTags:  ownershipTags.List(ownershipTags.Of(in.Owner)),
	}
	if in.ClientIP {
		b.ProviderFields[fieldAlgorithm] = api.SourceAddress
	}
	for _, port := range in.Ports {
		b.Listeners = append(b.Listeners, port.Listener())
	}
	cloud.SortListeners(b.Listeners)
	for _, network := range in.SourceRanges {
		b.Allow = append(b.Allow, network.String())
	}
	slices.Sort(b.Allow) // the API sorts them as text
	b.Preserve(in.Preserved)
	return b, notes(in.Spec), nil
}

// notes says what the balancer will lack.
func notes(spec cloud.Spec) []cloud.Warning {
	if HealthPath.Has(spec.Options) && HealthProtocol.In(spec.Options) == "tcp" {
		return []cloud.Warning{{Field: HealthPath.Name, Message: "a tcp health check has no path"}}
	}
	return nil
}

func name(in cloud.Input) string {
	wanted := cmp.Or(Name.In(in.Options), "ccm-"+in.Owner.UID)
	if in.Beside != nil && in.Beside.Balancer.Name == wanted {
		return wanted[:min(len(wanted), 60)] + "-2"
	}
	return wanted
}

// health returns the check of a balancer: a balancer is only as good as kube-proxy's own
// word on each node, so that is what is probed, unless the Service asks for a check of its own.
func health(spec cloud.Spec) (*cloud.Health, error) {
	check := &cloud.Health{Protocol: cloud.ProtocolHTTP, Port: spec.HealthPort, Path: "/healthz"}
	own, err := annotation.OwnCheck(spec)
	if own != nil {
		check = own
	}
	check.Interval, check.Timeout = HealthInterval.Duration(spec.Options), HealthTimeout.Duration(spec.Options)
	check.Healthy, check.Unhealthy = Healthy.Int(spec.Options), Unhealthy.Int(spec.Options)
	return check, err
}
