package sim

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Normalize implements cloud.Balancers.
func (d *Driver) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Note, error) {
	health, err := health(spec)
	if err != nil {
		return cloud.Balancer{}, nil, err
	}
	b := cloud.Balancer{
		Name: name(spec), Scope: scope(Internal.Bool(spec.Options)), DualStack: spec.DualStack,
		Health: health, Allow: networks(spec.SourceRanges),
		Extras: map[string]string{
			fieldAlgorithm: Algorithm.In(spec.Options), fieldProxyProtocol: strconv.FormatBool(ProxyProtocol.Bool(spec.Options)),
		},
		Marks: marks(ownerLabels(spec.Ref.Owner)),
	}
	for i, port := range spec.Ports {
		if port.NodePort == 0 {
			field := fmt.Sprintf("spec.ports[%d].nodePort", i)
			return cloud.Balancer{}, nil, &cloud.Invalid{Field: field, Value: "0", Want: "balancers of this cloud reach Services through node ports only"}
		}
		b.Listeners = append(b.Listeners, listener(port.Protocol, port.Port, port.NodePort))
	}
	cloud.SortListeners(b.Listeners)
	if pinned, ok := spec.Pinned[cloud.FieldScope]; ok {
		b.Scope = cloud.Scope(pinned)
	}
	if pinned, ok := spec.Pinned[cloud.FieldDualStack]; ok {
		b.DualStack = pinned == "true"
	}
	return b, notes(spec), nil
}

// notes says what the balancer will lack.
func notes(spec cloud.Spec) []cloud.Note {
	var notes []cloud.Note
	if spec.LoadBalancerIP != "" {
		notes = append(notes, cloud.Note{Field: "spec.loadBalancerIP", Message: "this cloud chooses the addresses of its balancers"})
	}
	if HealthPath.Has(spec.Options) && HealthProtocol.In(spec.Options) != "http" {
		notes = append(notes, cloud.Note{Field: HealthPath.Name, Message: "a tcp health check has no path"})
	}
	return notes
}

func name(spec cloud.Spec) string {
	return cmp.Or(Name.In(spec.Options), "ccm-"+spec.Ref.Owner.UID)
}

func scope(internal bool) cloud.Scope {
	if internal {
		return cloud.ScopeInternal
	}
	return cloud.ScopeExternal
}

func listener(protocol cloud.Protocol, port, nodePort int) cloud.Listener {
	return cloud.Listener{Protocol: protocol, Port: port, TargetProtocol: protocol, TargetPort: nodePort}
}

// networks returns prefixes as the API stores them: masked, sorted, each once.
func networks(prefixes []netip.Prefix) []string {
	var texts []string
	for _, prefix := range prefixes {
		texts = append(texts, prefix.Masked().String())
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// health returns the check of a balancer: a balancer is only as good as kube-proxy's own
// word on each node, so that is what is probed.
func health(spec cloud.Spec) (*cloud.Health, error) {
	check := &cloud.Health{
		Protocol: cloud.Protocol(strings.ToUpper(HealthProtocol.In(spec.Options))), Port: spec.HealthPort,
		Path: HealthPath.In(spec.Options), Timeout: 5 * time.Second, Healthy: 2, Unhealthy: 3,
	}
	if check.Protocol == cloud.ProtocolTCP {
		check.Path = ""
	}
	check.Interval = (HealthInterval.Duration(spec.Options) + time.Second - 1).Truncate(time.Second)
	if check.Interval < check.Timeout || check.Interval > 5*time.Minute {
		return nil, &cloud.Invalid{Field: HealthInterval.Name, Value: HealthInterval.In(spec.Options), Want: "5s to 5m"}
	}
	return check, nil
}
