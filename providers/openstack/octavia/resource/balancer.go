package resource

import (
	"cmp"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

func (c *Composite) presentBalancer(s *object.Snapshot, spec cloud.Spec) cloud.Resource {
	return cloud.Resource{Kind: kindBalancer, Key: TheBalancer(spec).Key, ID: s.LB.ID, Fields: map[string]any{
		"name": s.LB.Name, "description": s.LB.Description, "tags": s.LB.Tags,
	}}
}

// wantedBalancer is the balancer with its tags and, where it is the Service's own, its name.
func (c *Composite) wantedBalancer(s *object.Snapshot, change cloud.Change) cloud.Resource {
	spec := change.Spec
	r := cloud.Resource{Kind: kindBalancer, Key: TheBalancer(spec).Key, Fields: map[string]any{
		"tags": c.tagsWith(s.LB.Tags, change.After.OwnershipTags, spec.Ref.Owner),
	}}
	if spec.Lookups[desired.LookupTenant] == "" && s.LB.Name != change.After.Name {
		r.Fields["name"] = change.After.Name
		if strings.HasPrefix(s.LB.Description, mark.DescriptionPrefix) {
			r.Fields["description"] = c.Rules.Marks.Description(spec.Ref.Owner)
		}
	}
	return r
}

// tagsWith returns the tags of a balancer with these marks of the Service, and as they are where it
// has them.
func (c *Composite) tagsWith(have, marks []string, o cloud.Owner) []string {
	if !c.Rules.Can(desired.AbleTags) || slices.Equal(c.Rules.Marks.ObservedMarks(have, o), marks) {
		return have
	}
	return c.Rules.Marks.ReplaceMarks(have, marks, o)
}

// NewBalancer is a balancer that is to be made there; other is the subnet of its second address, ""
// for none.
func (c *Composite) NewBalancer(change cloud.Change, where config.Placement, other string) cloud.Resource {
	spec, b := change.Spec, change.After
	fields := map[string]any{
		"name": b.Name, "description": c.Rules.Marks.Description(spec.Ref.Owner),
		"provider":  cmp.Or(spec.Preserved[desired.FieldProvider], c.Rules.Config.Provider),
		"flavor_id": b.ProviderFields[desired.FieldFlavor], "availability_zone": b.ProviderFields[desired.FieldZone],
		"vip_port_id": desired.PortOfVIP(spec), "vip_address": b.ProviderFields[desired.FieldAddress],
		"vip_subnet_id": where.Subnet, "vip_network_id": where.Network,
	}
	if c.Rules.Can(desired.AbleTags) {
		fields["tags"] = b.OwnershipTags
	}
	if other != "" {
		fields["additional_vips"] = []object.AdditionalIP{{Subnet: other}}
	}
	return cloud.Resource{Kind: kindBalancer, Key: TheBalancer(spec).Key, Fields: fields}
}
