package sim

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// Fields only this cloud has.
const (
	fieldAlgorithm     = "algorithm"
	fieldProxyProtocol = "proxyProtocol"
)

// Observe implements cloud.Balancers.
func (d *Driver) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	b, byName, err := d.find(ctx, spec)
	if err != nil || b == nil {
		return cloud.Observed{}, err
	}
	observed := observe(*b)
	observed.ByName = byName
	return observed, nil
}

// find looks for the balancer by recorded id, by mark and by name. An id that is not there
// any more doesn't end the search: the balancer may have been created anew by a process
// that died before it could record the new id.
func (d *Driver) find(ctx context.Context, spec cloud.Spec) (b *world.Balancer, byName bool, err error) {
	if id := spec.Ref.ID; id != "" {
		found, err := d.client.Balancer(ctx, id)
		if err == nil {
			return &found, false, nil
		}
		if !d.absent(err) {
			return nil, false, fmt.Errorf("reading balancer %s: %w", id, err)
		}
	}
	uid := map[string]string{labelUID: spec.Ref.Owner.UID}
	marked, err := d.client.Balancers(ctx, "", uid)
	if err != nil {
		return nil, false, fmt.Errorf("finding balancer by mark: %w", err)
	}
	if len(marked) > 1 {
		return nil, false, fmt.Errorf("finding balancer by mark: %s and %s both carry it", marked[0].ID, marked[1].ID)
	}
	if len(marked) == 1 {
		return &marked[0], false, nil
	}
	named, err := d.client.Balancers(ctx, name(spec), nil)
	if err != nil || len(named) == 0 {
		return nil, false, err
	}
	return &named[0], true, nil
}

var balancerStates = map[string]cloud.BalancerState{
	world.StatusPending:  cloud.BalancerPending,
	world.StatusActive:   cloud.BalancerActive,
	world.StatusFailed:   cloud.BalancerFailed,
	world.StatusDeleting: cloud.BalancerPending,
}

// observe translates what the API says into the kernel's words.
func observe(b world.Balancer) cloud.Observed {
	observed := cloud.Observed{
		Found: true, ID: b.ID, State: balancerStates[b.Status], Detail: b.Status,
		Owner: ownerOf(b.Labels), Balancer: balancer(b), Native: b,
	}
	for _, ip := range b.Addresses {
		observed.Addresses = append(observed.Addresses, cloud.BalancerAddress{IP: ip, Proxy: b.ProxyProtocol})
	}
	return observed
}

func balancer(b world.Balancer) cloud.Balancer {
	check := b.HealthCheck
	translated := cloud.Balancer{
		Name: b.Name, Scope: scope(b.Internal), DualStack: b.DualStack, Allow: b.AllowedSources,
		Health: &cloud.Health{
			Protocol: cloud.Protocol(strings.ToUpper(check.Protocol)), Port: check.Port, Path: check.Path,
			Interval: time.Duration(check.IntervalSeconds) * time.Second,
			Timeout:  time.Duration(check.TimeoutSeconds) * time.Second,
			Healthy:  check.HealthyThreshold, Unhealthy: check.UnhealthyThreshold,
		},
		Extras: map[string]string{
			fieldAlgorithm: b.Algorithm, fieldProxyProtocol: strconv.FormatBool(b.ProxyProtocol),
		},
		Marks: marks(b.Labels),
	}
	for _, l := range b.Listeners {
		translated.Listeners = append(translated.Listeners, listener(cloud.Protocol(strings.ToUpper(l.Protocol)), l.Port, l.NodePort))
	}
	cloud.SortListeners(translated.Listeners)
	for _, id := range b.Targets {
		translated.Targets = append(translated.Targets, cloud.InstanceID(id))
	}
	return translated
}

// busy is how long the kernel shall wait before it looks again.
const busy = 2 * time.Second

// Eligible implements cloud.Balancers.
func (d *Driver) Eligible(_ cloud.Balancer, target cloud.Target) string {
	for _, a := range target.Addresses {
		if a.Type != cloud.AddressHostname && strings.Contains(a.Address, ".") {
			return ""
		}
	}
	return "it has no IPv4 address"
}

// Apply implements cloud.Balancers. The API replaces whole objects, so it is the state
// after the change that counts and not the single operations.
func (d *Driver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	var b world.Balancer
	var err error
	switch before := change.Before; {
	case change.After == nil:
		return d.remove(ctx, before)
	case !before.Found:
		b, err = d.client.CreateBalancer(ctx, merge(*change.After, world.BalancerSpec{}))
	default:
		stored, _ := before.Native.(world.Balancer)
		b, err = d.client.UpdateBalancer(ctx, before.ID, merge(*change.After, stored.BalancerSpec))
	}
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("storing balancer %s: %w", change.After.Name, err)
	}
	observed := observe(b)
	return cloud.Progress{Pending: observed.State == cloud.BalancerPending, After: busy, Observed: &observed}, nil
}

func (d *Driver) remove(ctx context.Context, before cloud.Observed) (cloud.Progress, error) {
	if !before.Found {
		return cloud.Progress{}, nil
	}
	gone, err := d.client.DeleteBalancer(ctx, before.ID)
	if err != nil && !d.absent(err) {
		return cloud.Progress{}, fmt.Errorf("deleting balancer %s: %w", before.ID, err)
	}
	return cloud.Progress{Pending: err == nil && !gone, After: busy}, nil
}

// merge sets the managed fields of what is stored and leaves the others as they are.
func merge(b cloud.Balancer, stored world.BalancerSpec) world.BalancerSpec {
	merged := stored
	merged.Name, merged.DualStack, merged.AllowedSources = b.Name, b.DualStack, b.Allow
	merged.Internal = b.Scope == cloud.ScopeInternal
	merged.Algorithm = b.Extras[fieldAlgorithm]
	merged.ProxyProtocol = b.Extras[fieldProxyProtocol] == "true"
	merged.HealthCheck = world.HealthCheck{
		Protocol: strings.ToLower(string(b.Health.Protocol)), Port: b.Health.Port, Path: b.Health.Path,
		IntervalSeconds: int(b.Health.Interval.Seconds()), TimeoutSeconds: int(b.Health.Timeout.Seconds()),
		HealthyThreshold: b.Health.Healthy, UnhealthyThreshold: b.Health.Unhealthy,
	}
	merged.Listeners, merged.Targets = nil, nil
	for _, l := range b.Listeners {
		merged.Listeners = append(merged.Listeners, world.Listener{
			Protocol: strings.ToLower(string(l.Protocol)), Port: l.Port, NodePort: l.TargetPort,
		})
	}
	for _, id := range b.Targets {
		merged.Targets = append(merged.Targets, string(id))
	}
	merged.Labels = remark(stored.Labels, b.Marks)
	return merged
}
