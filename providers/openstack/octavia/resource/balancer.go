package resource

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// TheBalancer stands for the id of the balancer that the other resources belong to.
func TheBalancer(spec cloud.Spec) cloud.IDOf {
	return cloud.IDOf{Kind: kindBalancer, Key: spec.Owner.String()}
}

// addBalancer adds a balancer that is there. One that stays gets its tags and, where it is the Service's own, its name. The tags
// wait for another run where the floating IP has to be first.
func (c *Composite) addBalancer(r *cloud.Resources, s *object.Snapshot, tenancy owner.Tenancy, change cloud.Change) {
	in, key := change.Input, TheBalancer(change.Input.Spec).Key
	r.Present = append(r.Present, cloud.Resource{Kind: kindBalancer, Key: key, ID: s.LB.ID, Fields: cloud.FieldsOf(
		fieldName.Is(s.LB.Name), fieldDescription.Is(s.LB.Description), fieldTags.Is(s.LB.Tags),
	)})
	var tags []string
	switch {
	case change.After != nil:
		tags = change.After.OwnershipTags
	case tenancy.MayDelete:
		return
	}
	tags = c.Rules.OwnershipTags.ReplaceOwnershipTags(s.LB.Tags, tags, in.Owner)
	if change.After != nil && c.Floating.IsFirst(s, in) {
		tags, r.Again = s.LB.Tags, settles
	}
	stays := cloud.Resource{Kind: kindBalancer, Key: key, Fields: cloud.FieldsOf(fieldTags.Is(tags))}
	if change.After != nil && !desired.Found.Open(in.Findings).Tenant && s.LB.Name != change.After.Name {
		stays.Fields = stays.Fields.With(fieldName.Is(change.After.Name))
		if _, made := tag.Balancer.Read(s.LB.Description, in.Owner); made {
			stays.Fields = stays.Fields.With(fieldDescription.Is(c.Rules.OwnershipTags.Description(tag.Balancer, in.Owner)))
		}
	}
	r.Wanted = append(r.Wanted, stays)
}
