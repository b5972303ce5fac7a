package sim

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// Fields only this cloud has.
const (
	fieldAlgorithm     = "algorithm"
	fieldProxyProtocol = "proxyProtocol"
)

// native is a balancer as the API shows it.
var native cloud.NativeOf[api.Balancer]

// Observe implements cloud.Balancers. It looks by recorded id, by ownership tag and by name.
func (d *Driver) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	if id, ok := checkID(in.ID); ok && in.Beside == nil {
		if b, err := d.client.Balancer(ctx, id); err == nil {
			return observe(b), nil
		} else if !api.IsNotFound(err) {
			return cloud.Observed{}, fmt.Errorf("reading balancer %s: %w", id, err)
		}
	}
	tagged, err := d.client.Balancers(ctx, "", ownershipTags.Service(in.Owner.UID))
	if err != nil {
		return cloud.Observed{}, fmt.Errorf("finding balancer by ownership tag: %w", err)
	}
	search := ownership.Search{Input: in, Names: []string{name(in)}}
	if o := ownership.OneOf(search, tagged, observe); o.Found || in.Beside != nil {
		return o, nil
	}
	named, err := d.client.Balancers(ctx, name(in), nil)
	if err != nil {
		return cloud.Observed{}, fmt.Errorf("finding balancer by name: %w", err)
	}
	return ownership.OneOf(search, named, observe), nil
}

// observe translates what the API says into the kernel's words.
func observe(b api.Balancer) cloud.Observed {
	observed := cloud.Observed{
		Found: true, ID: b.ID, State: cloud.BalancerState(b.Status), Detail: b.Status,
		Owner: ownershipTags.Owner(b.Labels), Balancer: balancer(b.BalancerSpec), Native: native.Seal(b),
	}
	if b.Status == api.StatusDeleting {
		observed.State = cloud.BalancerPending
	}
	for _, ip := range b.Addresses {
		observed.Addresses = append(observed.Addresses, cloud.BalancerAddress{IP: ip, Proxy: b.ProxyProtocol})
	}
	return observed
}

func balancer(stored api.BalancerSpec) cloud.Balancer {
	check := stored.HealthCheck
	b := cloud.Balancer{
		Name: stored.Name, Scope: cloud.ScopeOf(stored.Internal), DualStack: stored.DualStack,
		Allow: stored.AllowedSources, OwnershipTags: ownershipTags.List(stored.Labels),
		ProviderFields: map[string]string{fieldAlgorithm: stored.Algorithm, fieldProxyProtocol: strconv.FormatBool(stored.ProxyProtocol)},
		Health: &cloud.Health{
			Protocol: cloud.ProtocolOf(check.Protocol), Port: check.Port, Path: check.Path,
			Interval: time.Duration(check.IntervalSeconds) * time.Second, Timeout: time.Duration(check.TimeoutSeconds) * time.Second,
			Healthy: check.HealthyThreshold, Unhealthy: check.UnhealthyThreshold,
		},
	}
	for _, l := range stored.Listeners {
		b.Listeners = append(b.Listeners, cloud.Port{Protocol: cloud.ProtocolOf(l.Protocol), Port: l.Port, NodePort: l.NodePort}.Listener())
	}
	cloud.SortListeners(b.Listeners)
	for _, id := range stored.Targets {
		b.Targets = append(b.Targets, cloud.InstanceID(id))
	}
	return b
}

// specOf is the reverse of balancer. Of what is stored it keeps what nobody manages: the
// user's own labels.
func specOf(b cloud.Balancer, stored api.BalancerSpec) api.BalancerSpec {
	spec := api.BalancerSpec{
		Name: b.Name, Internal: b.Scope == cloud.ScopeInternal, DualStack: b.DualStack,
		AllowedSources: b.Allow, Labels: ownershipTags.Replace(stored.Labels, b.OwnershipTags),
		Algorithm: b.ProviderFields[fieldAlgorithm], ProxyProtocol: b.ProviderFields[fieldProxyProtocol] == "true",
		HealthCheck: api.HealthCheck{
			Protocol: b.Health.Protocol.Lower(), Port: b.Health.Port, Path: b.Health.Path,
			IntervalSeconds: int(b.Health.Interval.Seconds()), TimeoutSeconds: int(b.Health.Timeout.Seconds()), HealthyThreshold: b.Health.Healthy, UnhealthyThreshold: b.Health.Unhealthy,
		},
	}
	for _, l := range b.Listeners {
		spec.Listeners = append(spec.Listeners, api.Listener{Protocol: l.Protocol.Lower(), Port: l.Port, NodePort: l.TargetPort})
	}
	for _, id := range b.Targets {
		spec.Targets = append(spec.Targets, string(id))
	}
	return spec
}

// Coexist implements cloud.Replacer: nothing but the name, which name chooses, is there once.
func (d *Driver) Coexist(cloud.Input, cloud.Observed) string { return "" }

// Eligible implements cloud.Balancers.
func (d *Driver) Eligible(_ cloud.Balancer, target cloud.Target) string {
	if target.InstanceID.Described() {
		return "the world does not know its machine"
	}
	if ipv4, _ := target.Families(cloud.AddressInternalIP, cloud.AddressExternalIP); !ipv4 {
		return "it has no IPv4 address"
	}
	return ""
}

// Apply implements cloud.Balancers. The API replaces whole objects, so it is the state
// after the change that counts and not the single operations.
func (d *Driver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	if change.After == nil {
		return d.remove(ctx, change.Before)
	}
	stored := native.Open(change.Before.Native) // empty when there is none
	b, err := d.client.SaveBalancer(ctx, change.Before.ID, specOf(*change.After, stored.BalancerSpec))
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("storing balancer %s: %w", change.After.Name, cloud.ForTargets(err, api.IsForTargets(err)))
	}
	observed := observe(b)
	return cloud.Progress{Pending: observed.State == cloud.BalancerPending, Operations: b.Operations, Observed: &observed}, nil
}

func (d *Driver) remove(ctx context.Context, before cloud.Observed) (cloud.Progress, error) {
	if !before.Found {
		return cloud.Progress{}, nil
	}
	left, err := d.client.DeleteBalancer(ctx, before.ID)
	if err != nil && !api.IsNotFound(err) {
		return cloud.Progress{}, fmt.Errorf("deleting balancer %s: %w", before.ID, err)
	}
	return cloud.Progress{Pending: left.ID != "", Operations: left.Operations, Removed: true}, nil
}

// OperationStates implements cloud.Operations.
func (d *Driver) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	return d.client.OperationStates(ctx, ids)
}

// ListOwned implements cloud.OwnedLister. Balancers have no time at which they were made.
func (d *Driver) ListOwned(ctx context.Context, _ cloud.Owner) (list []cloud.OwnedBalancer, err error) {
	all, err := d.client.Balancers(ctx, "", nil)
	for _, b := range all {
		list = append(list, cloud.OwnedBalancer{ID: b.ID, Name: b.Name, Owners: []cloud.Owner{observe(b).Owner}, Deleting: b.Status == api.StatusDeleting, Addresses: observe(b).Addresses})
	}
	return list, err
}
