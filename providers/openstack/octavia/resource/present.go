package resource

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
)

// presentParts are the listeners of a balancer that a change is about, with what is behind them. Of a balancer that goes it is
// nothing where it goes as a whole, else all: it has to be empty before.
func (c *Composite) presentParts(s *object.Snapshot, tenancy owner.Tenancy, change cloud.Change) []cloud.Resource {
	listeners := tenancy.Named
	if change.After != nil {
		listeners = slices.DeleteFunc(slices.Clone(s.Listeners), func(l object.Listener) bool {
			return !c.isTrial(l, change.Input.Spec) && listenerAt(change.After, l.Key()) == nil && !slices.ContainsFunc(tenancy.Ours, func(ours object.Listener) bool { return ours.ID == l.ID })
		})
	}
	switch goes := change.After == nil && tenancy.MayDelete; {
	case goes && c.Rules.Config.CascadeDelete:
		return nil
	case goes:
		return everything(s)
	}
	return c.presentListeners(s, listeners, tenancy, change)
}

func (c *Composite) isTrial(l object.Listener, spec cloud.Spec) bool {
	return c.Rules.OwnershipTags.IsChild("trial", l.Name, spec.Owner)
}

// listenerAt is the listener that is wanted at a key, nil where none is.
func listenerAt(wanted *cloud.Balancer, key string) *cloud.Listener {
	if wanted == nil {
		return nil
	}
	at := slices.IndexFunc(wanted.Listeners, func(l cloud.Listener) bool { return l.Key() == key })
	if at < 0 {
		return nil
	}
	return &wanted.Listeners[at]
}

// everything is all that a balancer has. A pool that no listener leads to goes when there is no listener left: a policy of one
// can lead to it.
func everything(s *object.Snapshot) (list []cloud.Resource) {
	for _, l := range s.Listeners {
		list = append(list, cloud.Resource{Kind: kindListener, Key: l.Key(), ID: l.ID})
	}
	for _, id := range slices.Sorted(maps.Keys(s.Pools)) {
		if len(s.Pools[id].Listeners) > 0 || len(s.Listeners) == 0 {
			list = append(list, cloud.Resource{Kind: kindPool, Key: id, ID: id})
		}
	}
	return list
}

// presentListeners are listeners with their pools, and the Service's pools that nothing leads to:
//
//	pool of  several listeners  –                  nothing of it: it is not ours to change
//	         a listener         of that protocol   is its pool
//	         none               with its name      is its pool, unless it has one
//	         none               any other          is surplus
func (c *Composite) presentListeners(s *object.Snapshot, listeners []object.Listener, tenancy owner.Tenancy, change cloud.Change) []cloud.Resource {
	var list []cloud.Resource
	for _, l := range listeners {
		listener := c.presentListener(l, change)
		if p, exists := s.Pools[l.Pool]; exists && isPoolOf(p, l.Key(), tenancy, change) {
			pool := ThePool(l.Key(), p.Protocol)
			listener.Fields = listener.Fields.With(fieldDefaultPool.Is(cloud.To(pool)))
			list = append(list, presentPool(s, p, pool, change.Input.Spec)...)
		}
		list = append(list, listener)
	}
	for _, p := range tenancy.Unused {
		ref := ThePool(p.Name, p.Protocol)
		for i, port := range change.Input.Ports {
			if p.Name == c.Rules.OwnershipTags.ChildName("pool", i, change.Input.Owner) {
				ref = ThePool(port.Listener().Key(), p.Protocol)
			}
		}
		if slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref }) {
			ref = ThePool(ref.Key, p.ID)
		}
		list = append(list, presentPool(s, p, ref, change.Input.Spec)...)
	}
	return list
}

func (c *Composite) presentListener(l object.Listener, change cloud.Change) cloud.Resource {
	headers := map[string]string{}
	maps.Copy(headers, l.InsertHeaders)
	r := cloud.Resource{Kind: kindListener, Key: l.Key(), ID: l.ID, Fields: cloud.FieldsOf(
		fieldBalancer.Is(cloud.To(TheBalancer(change.Input.Spec))), fieldName.Is(l.Name), fieldProtocol.Is(l.Protocol), fieldPort.Is(l.Port),
		fieldConnectionLimit.Is(l.ConnectionLimit), fieldTLSContainer.Is(l.TLSRef), fieldInsertHeaders.Is(headers),
		fieldClientData.Is(l.ClientData), fieldMemberConnect.Is(l.MemberConnect), fieldMemberData.Is(l.MemberData), fieldTCPInspect.Is(l.TCPInspect),
		fieldTags.Is(slices.Concat([]string{}, l.Tags)), fieldDefaultPool.Is(cloud.ToID(l.Pool)),
	)}
	if c.isTrial(l, change.Input.Spec) {
		r.Key = trialKey(l.Name, l.Protocol, l.TLSRef)
	}
	if wanted := listenerAt(change.After, l.Key()); wanted != nil {
		if allowed, managed := wanted.ProviderFields[desired.FieldAllowed]; managed {
			r.Fields = r.Fields.With(fieldAllowedCIDRs.Is(desired.SplitAllowed(desired.ObservedAllowed(l, desired.OnIPv6(change.Input), allowed))))
		}
	}
	return r
}

func trialKey(name, protocol, tls string) string {
	return strings.TrimSpace(name + " " + protocol + " " + tls)
}
