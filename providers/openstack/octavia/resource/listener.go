package resource

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// cidrList is empty, and not nothing, where everybody may connect: nothing would change nothing.
func cidrList(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// portIndex is the place of a listener's port in the Service, which its name has.
func portIndex(l cloud.Listener, spec cloud.Spec) int {
	return max(0, slices.IndexFunc(spec.Ports, func(p cloud.Port) bool { return p.Listener().Key() == l.Key() }))
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// listenerResources are the Service's listeners and what is behind them, as they are and as they
// have to be.
func (c *Composite) listenerResources(s *object.Snapshot, change cloud.Change) (r cloud.Resources) {
	ours := slices.DeleteFunc(slices.Clone(s.Listeners), func(l object.Listener) bool {
		trial := c.Rules.Marks.IsChild("trial", l.Name, change.Spec.Ref.Owner)
		return !trial && listenerAt(change.After.Listeners, l.Key()) == nil && !c.Owners.IsOurs(s, l, change.Spec)
	})
	r.Present = c.presentListeners(s, ours, change)
	for _, l := range change.After.Listeners {
		have := s.ListenerOf(l.Key())
		wanted := cloud.Resource{Kind: kindListener, Key: l.Key(), Fields: c.listenerFields(l, change.Spec, have)}
		if l.TargetProtocol != "" { // else nobody knows what it leads to, and nothing valid can be asked for
			behind := ThePool(l.Key(), string(l.TargetProtocol))
			wanted.Fields["default_pool_id"] = behind
			r.Wanted = append(r.Wanted, c.wantedBehind(s, l, change, Find(r.Present, behind))...)
			r.Wanted = append(r.Wanted, c.wantedMeanwhile(s, l, change, r.Present)...)
		}
		wanted.Trial = c.trialOf(s, l, change.Spec)
		r.Wanted = append(r.Wanted, wanted)
	}
	return r
}

func listenerAt(list []cloud.Listener, key string) *cloud.Listener {
	at := slices.IndexFunc(list, func(l cloud.Listener) bool { return l.Key() == key })
	if at < 0 {
		return nil
	}
	return &list[at]
}

func (c *Composite) presentListener(l *object.Listener, pools []cloud.Resource, spec cloud.Spec) cloud.Resource {
	headers := map[string]string{}
	maps.Copy(headers, l.InsertHeaders)
	r := cloud.Resource{Kind: kindListener, Key: l.Key(), ID: l.ID, Fields: map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": l.Name, "protocol": l.Protocol, "protocol_port": l.Port,
		"connection_limit": l.ConnectionLimit, "default_tls_container_ref": l.TLSRef, "insert_headers": headers,
		"timeout_client_data": l.ClientData, "timeout_member_connect": l.MemberConnect,
		"timeout_member_data": l.MemberData, "timeout_tcp_inspect": l.TCPInspect,
		"tags": slices.Concat([]string{}, l.Tags), "default_pool_id": l.Pool,
	}}
	if wanted, managed := c.Rules.WantedAt(l.Key(), spec).ProviderFields[desired.FieldAllowed]; managed {
		r.Fields["allowed_cidrs"] = cidrList(desired.ObservedAllowed(*l, desired.OnIPv6(spec), wanted))
	}
	if c.Rules.Marks.IsChild("trial", l.Name, spec.Ref.Owner) {
		r.Key = trialKey(l.Name, l.Protocol, l.TLSRef)
	}
	for _, p := range pools {
		if p.Kind == kindPool && p.ID == l.Pool {
			r.Fields["default_pool_id"] = p.Ref()
		}
	}
	return r
}

// listenerFields are those a listener has to have. What is not ours of it stays, such as tags of
// users and other headers. have is nil where there is none.
func (c *Composite) listenerFields(l cloud.Listener, spec cloud.Spec, have *object.Listener) map[string]any {
	name := c.Rules.Marks.ChildName("listener", portIndex(l, spec), spec.Ref.Owner)
	var tags []string
	headers := map[string]string{}
	if have != nil {
		name, tags = c.Rules.Marks.NameOf("listener", have.Name, spec.Ref.Owner), slices.Concat([]string{}, have.Tags)
		maps.Copy(headers, have.InsertHeaders)
	}
	if l.ProviderFields[desired.FieldOwned] == "true" && !c.Rules.Marks.IsTagged(tags, spec.Ref.Owner) {
		tags = append(slices.DeleteFunc(tags, func(tag string) bool { return c.Rules.Marks.IsNameOf(tag, spec.Ref.Owner) }), c.Rules.Marks.Name(spec.Ref.Owner))
	}
	fields := map[string]any{
		"loadbalancer_id": TheBalancer(spec), "name": name, "protocol": string(l.Protocol), "protocol_port": l.Port,
		"connection_limit": atoi(l.ProviderFields[desired.FieldConnectionLimit]), "tags": tags,
	}
	for field, extra := range map[string]string{
		"timeout_client_data": desired.FieldClientData, "timeout_member_connect": desired.FieldMemberConnect,
		"timeout_member_data": desired.FieldMemberData, "timeout_tcp_inspect": desired.FieldTCPInspect,
	} {
		if value, managed := l.ProviderFields[extra]; managed {
			fields[field] = atoi(value)
		}
	}
	if l.Protocol == desired.ProtocolTerminated {
		fields["default_tls_container_ref"] = l.ProviderFields[desired.FieldTLS]
	}
	if value, managed := l.ProviderFields[desired.FieldForwardedFor]; managed {
		delete(headers, desired.ForwardedFor)
		if value == "true" {
			headers[desired.ForwardedFor] = "true"
		}
		fields["insert_headers"] = headers
	}
	if cidrs, managed := l.ProviderFields[desired.FieldAllowed]; managed {
		fields["allowed_cidrs"] = cidrList(cidrs)
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
	fields := c.listenerFields(l, spec, nil)
	name := c.Rules.Marks.ChildName("trial", portIndex(l, spec), spec.Ref.Owner)
	fields["name"], fields["protocol_port"], fields["admin_state_up"] = name, unusedPort(s, spec), false
	return &cloud.Resource{Kind: kindListener, Key: trialKey(name, string(l.Protocol), l.ProviderFields[desired.FieldTLS]), Fields: fields}
}

func trialKey(name, protocol, tls string) string {
	return strings.TrimSpace(name + " " + protocol + " " + tls)
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
