package openstack

import (
	"context"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// poolStep changes what differs in a pool itself.
func (d *Driver) poolStep(p pool, l cloud.Listener, o cloud.Owner) *step {
	body := map[string]any{}
	if method := l.ProviderFields[fieldMethod]; method != p.Method {
		body["lb_algorithm"] = method
	}
	if wanted := l.ProviderFields[fieldPersistence]; wanted != p.persistence() {
		body["session_persistence"] = persistenceBody(wanted)
	}
	if name := d.renamed("pool", p.Name, o); name != "" {
		body["name"] = name
	}
	if len(body) == 0 {
		return nil
	}
	return &step{"changing the pool of listener " + l.Key(), d.putting("pool", body, pathPools, p.ID)}
}

// persistenceBody is null for none.
func persistenceBody(kind string) any {
	if kind == "" {
		return nil
	}
	return map[string]string{"type": kind}
}

// membersStep writes all members of a pool at once.
func (d *Driver) membersStep(s *snapshot, p pool, l cloud.Listener, change cloud.Change) *step {
	present := s.members[p.ID]
	wanted := d.wantedMembers(l, change, present, d.memberSubnet(s, change.Spec))
	if sameMembers(present, wanted) {
		return nil
	}
	what := fmt.Sprintf("writing %d members of listener %s", len(wanted), l.Key())
	if d.config.balancer.serial {
		return &step{what, d.oneMember(present, wanted, p.ID)}
	}
	return &step{what, d.putting("members", membersBody(wanted), pathPools, p.ID, "members")}
}

// oneMember makes, changes or deletes one member, in this order, for providers that can't take
// several at once.
func (d *Driver) oneMember(present, wanted []member, pool string) func(context.Context) error {
	find := func(list []member, m member) int {
		return slices.IndexFunc(list, func(other member) bool { return other.Address == m.Address && other.Port == m.Port })
	}
	for _, m := range wanted {
		if find(present, m) < 0 {
			return d.posting("member", m.body(), pathPools, pool, "members")
		}
	}
	for _, m := range wanted {
		if have := present[find(present, m)]; !sameMembers([]member{have}, []member{m}) {
			body := m.body()
			for _, fixed := range []string{"address", "protocol_port", "subnet_id"} {
				delete(body, fixed)
			}
			return d.putting("member", body, pathPools, pool, "members", have.ID)
		}
	}
	for _, m := range present {
		if find(wanted, m) < 0 {
			return func(ctx context.Context) error { return remove(ctx, d.balancer, pathPools, pool, "members", m.ID) }
		}
	}
	return func(context.Context) error { return nil }
}

// memberSubnet is the subnet of the members; without one of their own it is the balancer's.
func (d *Driver) memberSubnet(s *snapshot, spec cloud.Spec) string {
	if chosen := d.placementOf(spec).memberSubnet; chosen != "" {
		return chosen
	}
	return s.lb.Subnet
}

func (d *Driver) monitorStep(s *snapshot, p pool, l cloud.Listener, spec cloud.Spec) *step {
	have, exists := s.monitors[p.ID]
	drop := func(ctx context.Context) error { return remove(ctx, d.balancer, pathMonitors, have.ID) }
	switch {
	case l.Health == nil && !exists:
		return nil
	case l.Health == nil, exists && have.Type != string(l.Health.Protocol):
		return &step{"deleting the health monitor of listener " + l.Key(), drop}
	case !exists:
		body := d.monitorBody(l, spec)
		body["pool_id"] = p.ID
		return &step{"creating the health monitor of listener " + l.Key(), d.posting("healthmonitor", body, pathMonitors)}
	}
	wanted := d.monitorBody(l, spec)
	same := wanted["delay"] == have.Delay && wanted["timeout"] == have.Timeout && wanted["max_retries"] == have.Retries &&
		wanted["max_retries_down"] == have.RetriesDown && (wanted["url_path"] == nil || wanted["url_path"] == have.Path)
	name := d.renamed("monitor", have.Name, spec.Ref.Owner)
	if same && name == "" {
		return nil
	}
	for _, fixed := range []string{"type", "name", "http_method"} {
		delete(wanted, fixed)
	}
	if name != "" {
		wanted["name"] = name
	}
	return &step{"changing the health monitor of listener " + l.Key(), d.putting("healthmonitor", wanted, pathMonitors, have.ID)}
}
