package resource

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// addWantedParts adds the listeners that a balancer has to have, with what has to be behind them. It returns the addresses of the
// members.
func (c *Composite) addWantedParts(r *cloud.Resources, s *object.Snapshot, place desired.Place, change cloud.Change) (addresses []string) {
	subnet := cmp.Or(place.MemberSubnet, s.LB.Subnet)
	for _, l := range change.After.Listeners {
		have := presentAt(s, l.Key())
		wanted := cloud.Resource{Kind: kindListener, Key: l.Key(), Trial: c.trialOf(s, l, change.Input.Spec), Fields: c.listenerFields(l, change.Input.Spec, have)}
		if l.TargetProtocol != "" { // else nobody knows what it leads to, and nothing valid can be asked for
			behind := ThePool(l.Key(), string(l.TargetProtocol))
			wanted.Fields = wanted.Fields.With(fieldDefaultPool.Is(cloud.To(behind)))
			r.Wanted = append(r.Wanted, c.wantedBehind(s, l, change, r.Present, subnet)...)
		}
		r.Wanted = append(r.Wanted, wanted)
	}
	for _, m := range r.Wanted {
		if m.Kind == kindMember {
			addresses = append(addresses, fieldAddress.Of(m))
		}
	}
	return addresses
}

// listenerFields are those a listener has to have. What is not ours of it stays, such as tags of
// users and other headers. have is nil where there is none.
func (c *Composite) listenerFields(l cloud.Listener, spec cloud.Spec, have *object.Listener) cloud.Fields {
	name := c.Rules.OwnershipTags.ChildName("listener", portIndex(l, spec), spec.Owner)
	var tags []string
	headers := map[string]string{}
	if have != nil {
		name, tags = c.Rules.OwnershipTags.NameOf("listener", have.Name, spec.Owner), slices.Concat([]string{}, have.Tags)
		maps.Copy(headers, have.InsertHeaders)
	}
	if l.ProviderFields[desired.FieldOwned] == "true" {
		tags = c.Rules.OwnershipTags.ReplaceOwnershipTags(tags, []string{c.Rules.OwnershipTags.Name(spec.Owner)}, spec.Owner)
	}
	fields := cloud.FieldsOf(
		fieldBalancer.Is(cloud.To(TheBalancer(spec))), fieldName.Is(name), fieldProtocol.Is(string(l.Protocol)), fieldPort.Is(l.Port),
		fieldConnectionLimit.Is(atoi(l.ProviderFields[desired.FieldConnectionLimit])), fieldTags.Is(tags),
	)
	for field, extra := range map[cloud.Field[int]]string{
		fieldClientData: desired.FieldClientData, fieldMemberConnect: desired.FieldMemberConnect,
		fieldMemberData: desired.FieldMemberData, fieldTCPInspect: desired.FieldTCPInspect,
	} {
		if value, managed := l.ProviderFields[extra]; managed {
			fields = fields.With(field.Is(atoi(value)))
		}
	}
	if l.Protocol == desired.ProtocolTerminated {
		fields = fields.With(fieldTLSContainer.Is(l.ProviderFields[desired.FieldTLS]))
	}
	if value, managed := l.ProviderFields[desired.FieldForwardedFor]; managed {
		delete(headers, desired.ForwardedFor)
		if value == "true" {
			headers[desired.ForwardedFor] = "true"
		}
		fields = fields.With(fieldInsertHeaders.Is(headers))
	}
	if cidrs, managed := l.ProviderFields[desired.FieldAllowed]; managed {
		fields = fields.With(fieldAllowedCIDRs.Is(desired.SplitAllowed(cidrs)))
	}
	return fields
}

// trialOf is a listener like the wanted one at a port nobody uses, and switched off: what the API
// refuses, such as a certificate it cannot read, it has to refuse before the old listener is
// deleted. Octavia takes no second listener at a port. A plain protocol needs no trial.
func (c *Composite) trialOf(s *object.Snapshot, l cloud.Listener, spec cloud.Spec) *cloud.Resource {
	switch l.Protocol {
	case cloud.ProtocolTCP, cloud.ProtocolUDP, cloud.ProtocolSCTP:
		return nil
	}
	name, port := c.Rules.OwnershipTags.ChildName("trial", portIndex(l, spec), spec.Owner), unusedPort(s, spec)
	fields := c.listenerFields(l, spec, nil).With(fieldName.Is(name), fieldPort.Is(port), fieldAdminStateUp.Is(false))
	return &cloud.Resource{Kind: kindListener, Key: trialKey(name, string(l.Protocol), l.ProviderFields[desired.FieldTLS]), Fields: fields}
}

// unusedPort is the highest port that no listener has and no port of the Service needs.
func unusedPort(s *object.Snapshot, spec cloud.Spec) int {
	port := 65535
	for slices.ContainsFunc(s.Listeners, func(l object.Listener) bool { return l.Port == port }) ||
		slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Port == port }) {
		port--
	}
	return port
}

// portIndex is the place of a listener's port in the Service, which its name has.
func portIndex(l cloud.Listener, spec cloud.Spec) int {
	return max(0, slices.IndexFunc(spec.Ports, func(p cloud.Port) bool { return p.Listener().Key() == l.Key() }))
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// presentAt returns the listener with that key, nil when there is none.
func presentAt(s *object.Snapshot, key string) *object.Listener {
	at := slices.IndexFunc(s.Listeners, func(l object.Listener) bool { return l.Key() == key })
	if at < 0 {
		return nil
	}
	return &s.Listeners[at]
}
