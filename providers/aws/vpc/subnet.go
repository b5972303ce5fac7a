package vpc

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Subnet returns the subnet with the id, false when the VPC has none.
func (n *Network) Subnet(id string) (ec2types.Subnet, bool) {
	for _, subnet := range n.subnets {
		if aws.ToString(subnet.SubnetId) == id {
			return subnet, true
		}
	}
	return ec2types.Subnet{}, false
}

// Zone returns the name of the zone of a subnet.
func (n *Network) Zone(id string) string {
	subnet, _ := n.Subnet(id)
	return aws.ToString(subnet.AvailabilityZone)
}

// Tags that say which subnets balancers like best, with any value.
const (
	tagRoleExternal = "kubernetes.io/role/elb"
	tagRoleInternal = "kubernetes.io/role/internal-elb"
)

// Choose returns the ids of the subnets a balancer shall have: those of the annotation in
// its order, else one of each zone in the order of the zones' names. Those it has are present: such
// a one stays as long as it is usable, or its zone has no other, because leaving it costs an
// address.
func (r *Reader) Choose(inv *Inventory, spec cloud.Spec, scope cloud.Scope, present []string) ([]string, error) {
	if given := option.Subnets.List(spec.Options); len(given) > 0 {
		return inv.namedSubnets(given)
	}
	if len(present) > 0 && (option.Addresses.Has(spec.Options) || option.PrivateAddresses.Has(spec.Options)) {
		return inv.byZone(present), nil // a new subnet would need another address
	}
	best := map[string]ec2types.Subnet{}
	usable := r.usableSubnets(inv, scope)
	for _, subnet := range usable {
		zone := aws.ToString(subnet.AvailabilityZone)
		if present, taken := best[zone]; !taken || r.preferred(subnet, present, scope) < 0 {
			best[zone] = subnet
		}
	}
	for _, id := range present {
		subnet, exists := inv.Subnet(id)
		zone := aws.ToString(subnet.AvailabilityZone)
		if _, served := best[zone]; exists && (!served || slices.ContainsFunc(usable, func(u ec2types.Subnet) bool { return aws.ToString(u.SubnetId) == id })) {
			best[zone] = subnet
		}
	}
	var ids []string
	for _, zone := range slices.Sorted(maps.Keys(best)) {
		ids = append(ids, aws.ToString(best[zone].SubnetId))
	}
	if len(ids) == 0 {
		return nil, &cloud.Invalid{
			Field: option.Subnets.Name, Value: "",
			Want: fmt.Sprintf("no subnet of VPC %s will do for an %s balancer: one has to be without another cluster's tag, in an availability zone and, for an external balancer, have a route to an internet gateway", r.Cluster.VPC, scope),
		}
	}
	return ids, nil
}

// byZone returns subnets in the order of the names of their zones.
func (inv *Inventory) byZone(ids []string) []string {
	return slices.SortedFunc(slices.Values(ids), func(x, y string) int { return cmp.Or(cmp.Compare(inv.Zone(x), inv.Zone(y)), cmp.Compare(x, y)) })
}

// namedSubnets resolves ids and names.
func (inv *Inventory) namedSubnets(given []string) ([]string, error) {
	var ids []string
	for _, text := range given {
		var found []string
		want := ""
		for _, subnet := range inv.subnets {
			if aws.ToString(subnet.SubnetId) == text || tag.Of(subnet.Tags)["Name"] == text {
				found = append(found, aws.ToString(subnet.SubnetId))
			}
		}
		switch {
		case len(found) == 0:
			want = fmt.Sprintf("no subnet of the VPC has the id or name %q", text)
		case len(found) > 1:
			want = fmt.Sprintf("several subnets of the VPC have the name %q: name the id of the one that is meant, of %s", text, strings.Join(found, ", "))
		case slices.Contains(ids, found[0]):
			want = fmt.Sprintf("subnet %s is in the list twice", found[0])
		}
		if want != "" {
			return nil, &cloud.Invalid{Field: option.Subnets.Name, Value: strings.Join(given, ","), Want: want}
		}
		ids = append(ids, found[0])
	}
	return ids, nil
}

// usableSubnets are those a balancer may be in without being told:
//
//	tags for clusters  scope     leads to the internet  zone       usable
//	others' only       –         –                      –          no
//	–                  –         –                      local etc. no
//	ours, or none      external  no                     –          no
//	ours, or none      external  yes                    –          yes
//	ours, or none      internal  –                      –          yes
//
// Where tags leave none it is the configured one.
func (r *Reader) usableSubnets(inv *Inventory, scope cloud.Scope) []ec2types.Subnet {
	var ours []ec2types.Subnet
	for _, subnet := range inv.subnets {
		if tags := tag.Of(subnet.Tags); r.Cluster.Has(tags) || !tag.InAny(tags) {
			ours = append(ours, subnet)
		}
	}
	if fallback, exists := inv.Subnet(r.FallbackSubnet); len(ours) == 0 && exists {
		ours = append(ours, fallback)
	}
	return slices.DeleteFunc(ours, func(subnet ec2types.Subnet) bool {
		regular, known := inv.regular[aws.ToString(subnet.AvailabilityZone)]
		return known && !regular || scope == cloud.ScopeExternal && !inv.public[aws.ToString(subnet.SubnetId)]
	})
}

// preferred compares two subnets of one zone: first the one with the role's tag, then the one with
// the cluster's, then the one with the smaller id.
func (r *Reader) preferred(x, y ec2types.Subnet, scope cloud.Scope) int {
	role := tagRoleExternal
	if scope == cloud.ScopeInternal {
		role = tagRoleInternal
	}
	rank := func(subnet ec2types.Subnet) int {
		tags := tag.Of(subnet.Tags)
		order := 3
		if _, has := tags[role]; has {
			order -= 2
		}
		if r.Cluster.Has(tags) {
			order--
		}
		return order
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(aws.ToString(x.SubnetId), aws.ToString(y.SubnetId)))
}
