package sim

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Normalize implements cloud.Balancers.
func (d *Driver) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	b := cloud.Balancer{
		Name: name(spec), Scope: cloud.ScopeOf(Internal.Bool(spec.Options)), DualStack: spec.DualStack, Health: health(spec),
		ProviderFields: map[string]string{fieldAlgorithm: Algorithm.In(spec.Options), fieldProxyProtocol: strconv.FormatBool(ProxyProtocol.Bool(spec.Options))},
		OwnershipTags:  marks.List(marks.Of(spec.Ref.Owner)),
	}
	for _, port := range spec.Ports {
		b.Listeners = append(b.Listeners, port.Listener())
	}
	cloud.SortListeners(b.Listeners)
	for _, network := range spec.SourceRanges {
		b.Allow = append(b.Allow, network.String())
	}
	slices.Sort(b.Allow) // the API sorts them as text
	b.Preserve(spec.Preserved)
	return b, notes(spec), nil
}

// notes says what the balancer will lack.
func notes(spec cloud.Spec) []cloud.Warning {
	var notes []cloud.Warning
	if spec.LoadBalancerIP != "" {
		notes = append(notes, cloud.Warning{Field: "spec.loadBalancerIP", Message: "this cloud chooses the addresses of its balancers"})
	}
	if HealthPath.Has(spec.Options) && HealthProtocol.In(spec.Options) != "http" {
		notes = append(notes, cloud.Warning{Field: HealthPath.Name, Message: "a tcp health check has no path"})
	}
	return notes
}

func name(spec cloud.Spec) string {
	wanted := cmp.Or(Name.In(spec.Options), "ccm-"+spec.Ref.Owner.UID)
	if spec.Beside != nil && spec.Beside.Balancer.Name == wanted {
		return wanted[:min(len(wanted), 60)] + "-2"
	}
	return wanted
}

// health returns the check of a balancer: a balancer is only as good as kube-proxy's own
// word on each node, so that is what is probed.
func health(spec cloud.Spec) *cloud.Health {
	check := &cloud.Health{
		Protocol: cloud.ProtocolOf(HealthProtocol.In(spec.Options)), Port: spec.HealthPort,
		Path: HealthPath.In(spec.Options), Interval: HealthInterval.Duration(spec.Options),
		Timeout: 5 * time.Second, Healthy: 2, Unhealthy: 3,
	}
	if check.Protocol == cloud.ProtocolTCP {
		check.Path = ""
	}
	return check
}
