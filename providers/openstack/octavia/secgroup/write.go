package secgroup

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// The kinds of resources of a security group, by their names in Neutron.
const (
	kindGroup      = "security group"
	kindRule       = packetfilter.KindRule
	kindMembership = "port in the security group"
)

// The fields of groups and memberships, those of groups by their names in Neutron. The fields of rules are those of packetfilter.
var (
	fieldName        = cloud.NewField[string]("name")
	fieldDescription = cloud.NewField[string]("description")
	fieldGroup       = cloud.NewField[cloud.Reference]("group")
)

// nativePort is the port of a membership.
var nativePort cloud.NativeOf[neutron.Port]

// everyone is whom a rule without a peer is about, by its ethertype.
var everyone = map[string]packetfilter.Peer{"IPv4": {Network: "0.0.0.0/0"}, "IPv6": {Network: "::/0"}}

// Kinds are the group, its rules, and the ports that have it.
func (m *Manager) Kinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{Name: kindGroup, OfService: true, Takes: []string{kindRule}, Create: m.createGroup, Update: m.describeGroup, Delete: m.deleteGroup},
		{Name: kindRule, OfService: true, Create: m.createRule, Delete: m.deleteRule},
		{Name: kindMembership, OfService: true, Create: m.joinGroup, Delete: m.leaveGroup},
	}
}

// createGroup makes a group without rules: Neutron gives it two that nobody asked for.
func (m *Manager) createGroup(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	body := map[string]any{"security_group": wanted.Fields}
	var answer struct {
		Group object.SecurityGroup `json:"security_group"`
	}
	_, err := m.Network.Post(ctx, m.Network.ServiceURL("security-groups"), body, &answer, nil)
	if err == nil && answer.Group.ID == "" {
		err = cloud.ErrIncomplete
	}
	for _, rule := range answer.Group.Rules {
		if err == nil {
			err = m.deleteRule(ctx, cloud.Resource{ID: rule.ID})
		}
	}
	return answer.Group.ID, err
}

// describeGroup writes whose a group is, which was upstream's or of the cluster's former name.
func (m *Manager) describeGroup(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	return api.Update(ctx, m.Network, "security_group", wanted.Fields.Only(fields...), "security-groups", present.ID)
}

func (m *Manager) deleteGroup(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, m.Network, "security-groups", present.ID)
}

func (m *Manager) createRule(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	group, rule, _ := packetfilter.Of(wanted)
	ethertype := "IPv4"
	if rule.Peer.IsIPv6() {
		ethertype = "IPv6"
	}
	body := map[string]any{"security_group_rule": map[string]string{
		"security_group_id": group, "direction": "ingress", "ethertype": ethertype, "protocol": rule.Protocol.Lower(),
		"port_range_min": strconv.Itoa(rule.From), "port_range_max": strconv.Itoa(rule.To), "remote_ip_prefix": rule.Peer.Network,
	}}
	_, err := m.Network.Post(ctx, m.Network.ServiceURL("security-group-rules"), body, nil, nil)
	if api.Classify(err).Class == cloud.FailureConflict { // it is there already
		err = nil
	}
	return "", err
}

func (m *Manager) deleteRule(ctx context.Context, present cloud.Resource) error {
	return api.Remove(ctx, m.Network, "security-group-rules", present.ID)
}

// joinGroup gives the group to a port.
func (m *Manager) joinGroup(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	p := nativePort.Open(wanted.Native)
	return p.ID, m.setGroups(ctx, p, append(slices.Clone(p.Groups), fieldGroup.Of(wanted).ID))
}

// leaveGroup takes the group from a port.
func (m *Manager) leaveGroup(ctx context.Context, present cloud.Resource) error {
	p := nativePort.Open(present.Native)
	return m.setGroups(ctx, p, slices.DeleteFunc(slices.Clone(p.Groups), func(g string) bool { return g == fieldGroup.Of(present).ID }))
}

// setGroups writes the groups of a port, unless it was changed since it was read. A port that is gone
// needs none.
func (m *Manager) setGroups(ctx context.Context, p neutron.Port, groups []string) error {
	body := map[string]any{"security_groups": groups}
	if err := api.UpdateAt(ctx, m.Network, p.Revision, "port", body, "ports", p.ID); err != nil && !api.IsNotFound(err) {
		return fmt.Errorf("changing the security groups of port %s: %w", p.ID, err)
	}
	return nil
}
