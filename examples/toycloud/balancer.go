package toycloud

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// tags are the labels that say whom a balancer belongs to.
const tags = cloud.OwnershipLabels("ccm-")

// snapshot is a load balancer as the API shows it.
type snapshot struct {
	balancer  api.Balancer
	listeners []api.Listener
}

// native hands a snapshot over from Observe to Resources.
var native cloud.NativeOf[snapshot]

// Observe implements cloud.BalancerReader. It looks by recorded id and by ownership tag.
func (d *Driver) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	if id, ok := checkID(in.ID); ok {
		b, err := d.client.Balancer(ctx, id)
		switch {
		case err == nil:
			return d.withListeners(ctx, observe(b))
		case !api.IsNotFound(err):
			return cloud.Observed{}, fmt.Errorf("reading balancer %s: %w", id, err)
		}
	}
	tagged, err := d.client.Balancers(ctx, tags.Service(in.Owner.UID))
	if err != nil {
		return cloud.Observed{}, fmt.Errorf("finding balancer by tag: %w", err)
	}
	observed := ownership.OneOf(ownership.Search{Input: in}, tagged, observe)
	if !observed.Found {
		return observed, nil
	}
	return d.withListeners(ctx, observed)
}

// observe translates a balancer into the kernel's words.
func observe(b api.Balancer) cloud.Observed {
	observed := cloud.Observed{
		Found: true, ID: b.ID, State: cloud.BalancerPending, Owner: tags.Owner(b.Labels), Native: native.Seal(snapshot{balancer: b}),
		Addresses: []cloud.BalancerAddress{{IP: b.Address}},
		Balancer: cloud.Balancer{
			Name: b.Name, Scope: cloud.ScopeOf(b.Internal), Health: health(b.HealthPort), OwnershipTags: tags.List(b.Labels),
		},
	}
	if b.Status == "active" {
		observed.State = cloud.BalancerActive
	}
	for _, id := range b.Targets {
		observed.Balancer.Targets = append(observed.Balancer.Targets, cloud.InstanceID(id))
	}
	slices.Sort(observed.Balancer.Targets)
	return observed
}

// withListeners adds the listeners to what was observed of a balancer.
func (d *Driver) withListeners(ctx context.Context, observed cloud.Observed) (cloud.Observed, error) {
	listeners, err := d.client.Listeners(ctx, observed.ID)
	if err != nil {
		return cloud.Observed{}, fmt.Errorf("reading the listeners of balancer %s: %w", observed.ID, err)
	}
	for _, l := range listeners {
		port := cloud.Port{Protocol: cloud.ProtocolOf(l.Protocol), Port: l.Port, NodePort: l.TargetPort}
		observed.Balancer.Listeners = append(observed.Balancer.Listeners, port.Listener())
	}
	cloud.SortListeners(observed.Balancer.Listeners)
	observed.Native = native.Seal(snapshot{native.Open(observed.Native).balancer, listeners})
	return observed, nil
}

// Normalize implements cloud.BalancerReader.
func (d *Driver) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	b := cloud.Balancer{
		Name: "ccm-" + in.Owner.UID, Scope: cloud.ScopeOf(Internal.Bool(in.Options)),
		Health: health(in.HealthPort), OwnershipTags: tags.List(tags.Of(in.Owner)),
	}
	for i, port := range in.Ports {
		if slices.ContainsFunc(in.Ports[:i], func(other cloud.Port) bool { return other.Port == port.Port }) {
			return cloud.Balancer{}, nil, &cloud.Invalid{
				Field: fmt.Sprintf("spec.ports[%d].protocol", i), Value: string(port.Protocol), Want: "a port has one protocol on this cloud",
			}
		}
		b.Listeners = append(b.Listeners, port.Listener())
	}
	cloud.SortListeners(b.Listeners)
	b.Preserve(in.Preserved)
	return b, nil, nil
}

// health returns the check of a balancer. Nothing but its port can be chosen.
func health(port int) *cloud.Health {
	return &cloud.Health{
		Protocol: cloud.ProtocolHTTP, Port: port, Path: "/healthz", Interval: 10 * time.Second, Timeout: 5 * time.Second, Healthy: 2, Unhealthy: 3,
	}
}

// Eligible implements cloud.BalancerReader: every machine can be a target.
func (d *Driver) Eligible(cloud.Balancer, cloud.Target) string { return "" }
