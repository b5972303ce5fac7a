// Package secgroup is about the security groups that let load balancers reach the nodes.
package secgroup

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Manager are the security groups that let load balancers reach the nodes.
type Manager struct {
	Network *gophercloud.ServiceClient
	Rules   *desired.Rules
	Reader  *object.Reader
}

// Find reads the Service's security group and the ports of machines. A deletion needs no ports. Where groups are not managed
// only one that is left from a time when they were is looked for: once the balancer is there, but not at the end of its creation,
// and once more when the Service has left. A process that still managed groups may have made one meanwhile.
func (m *Manager) Find(ctx context.Context, s *object.Snapshot, from *object.BulkList, in cloud.Input) error {
	here := s.LB.ID != ""
	switch {
	case m.Rules.Config.ManageSecurityGroups, in.Retained:
	case here == in.Deleting || object.LastOf(in.Known).IsAnswer(s.LB):
		return nil
	default:
		if s.Security.None = here && m.AreNone(in.Known); s.Security.None {
			return nil
		}
	}
	groups, err := m.groupsOf(ctx, from, in.Owner)
	if err != nil {
		return err
	}
	s.Security.Groups = slices.DeleteFunc(slices.Clone(groups), func(g object.SecurityGroup) bool { return !m.isOurs(g, s, in) })
	if !m.Rules.Config.ManageSecurityGroups {
		s.Security.None = len(s.Security.Groups) == 0
		return nil
	}
	if in.Deleting && !in.Retained {
		return nil
	}
	if s.Security.Network = s.LB.Network; from != nil {
		s.Security.Ports = from.Ports
		return nil
	}
	s.Security.Ports, err = m.Reader.MachinePorts(ctx)
	return err
}

// groupsOf returns the security groups of the bulk list, or those of the Service's name.
func (m *Manager) groupsOf(ctx context.Context, from *object.BulkList, us cloud.Owner) ([]object.SecurityGroup, error) {
	if from != nil {
		return from.Groups, nil
	}
	return m.Reader.Groups(ctx, url.Values{"name": {groupName(us)}})
}

// isOurs reports whether a security group was made for the Service. Its name holds the UID, which the Service of a cluster that was
// restored from the same backup has too. The description names the cluster.
func (m *Manager) isOurs(g object.SecurityGroup, s *object.Snapshot, in cloud.Input) bool {
	madeFor, _ := m.Rules.OwnershipTags.ReadDescription(tag.SecurityGroup, g.Description, in.Owner)
	madeFor = owner.Read(m.Rules, s, in).AsOurs(madeFor)
	madeFor.UID = in.Owner.UID
	return g.Name == groupName(in.Owner) && ownership.Of(madeFor, in.Owner) == ownership.Ours
}

// AreNone reports whether the last look has shown that nothing is left of a time when groups were managed.
func (m *Manager) AreNone(known cloud.Known) bool {
	last := object.LastOf(known)
	return last != nil && last.Security.None && !m.Rules.Config.ManageSecurityGroups
}

// Add adds the security group with its rules, and the ports of these addresses, which have to have it. Where groups are not
// managed one that is left is not wanted. What a new balancer needs is needed: what listens must be reached.
func (m *Manager) Add(ctx context.Context, r *cloud.Resources, s *object.Snapshot, change cloud.Change, addresses []string) (needed []cloud.IDOf, err error) {
	isNew := change.After != nil && !change.Before.Found
	serves := change.After == nil && (change.Replaced || change.Input.Beside != nil) // then the group stays for the other balancer
	if serves || isNew && desired.Found.Open(change.Input.Findings).MemberCIDR == "" {
		return nil, nil
	}
	us := change.Input.Owner
	group := cloud.Resource{Kind: kindGroup, Key: us.String(), Fields: cloud.FieldsOf(
		fieldName.Is(groupName(us)), fieldDescription.Is(m.Rules.OwnershipTags.OwnDescription(tag.SecurityGroup, us)),
	)}
	stays := change.After != nil && m.Rules.Config.ManageSecurityGroups
	for i, g := range s.Security.Groups {
		present := cloud.Resource{Kind: kindGroup, Key: group.Key, ID: g.ID, Fields: cloud.FieldsOf(fieldDescription.Is(g.Description))}
		if i > 0 {
			present.Key += " " + g.ID
		}
		if err := m.addPresent(ctx, r, s, present, !stays || i > 0); err != nil {
			return nil, err
		}
	}
	if stays {
		needed = m.addWanted(r, s, group, change.Input, addresses)
	}
	return needed, nil
}

// groupName is the name of the Service's security group, as upstream gives it. It holds the
// Service's UID.
func groupName(o cloud.Owner) string {
	return tag.Cut(fmt.Sprintf("lb-sg-%s-%s-%s", o.UID, o.Namespace, o.Name))
}
