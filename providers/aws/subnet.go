package aws

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Tags that say which subnets balancers like best, with any value.
const (
	tagRoleExternal = "kubernetes.io/role/elb"
	tagRoleInternal = "kubernetes.io/role/internal-elb"
)

// chooseSubnets returns the ids of the subnets a balancer shall have: those of the annotation in
// its order, else one of each zone in the order of the zones' names. Those it has are present: such
// a one stays as long as it is usable, or its zone has no other, because leaving it costs an
// address.
func (d *Driver) chooseSubnets(a *area, spec cloud.Spec, scope cloud.Scope, present []string) ([]string, error) {
	if given := option.Subnets.List(spec.Options); len(given) > 0 {
		return a.namedSubnets(given)
	}
	if len(present) > 0 && (option.Addresses.Has(spec.Options) || option.PrivateAddresses.Has(spec.Options)) {
		return a.byZone(present), nil // a new subnet would need another address
	}
	best := map[string]ec2types.Subnet{}
	usable := d.usableSubnets(a, scope)
	for _, subnet := range usable {
		zone := awssdk.ToString(subnet.AvailabilityZone)
		if present, taken := best[zone]; !taken || d.preferred(subnet, present, scope) < 0 {
			best[zone] = subnet
		}
	}
	for _, id := range present {
		subnet, exists := a.subnet(id)
		zone := awssdk.ToString(subnet.AvailabilityZone)
		if _, served := best[zone]; exists && (!served || slices.ContainsFunc(usable, func(u ec2types.Subnet) bool { return awssdk.ToString(u.SubnetId) == id })) {
			best[zone] = subnet
		}
	}
	var ids []string
	for _, zone := range slices.Sorted(maps.Keys(best)) {
		ids = append(ids, awssdk.ToString(best[zone].SubnetId))
	}
	if len(ids) == 0 {
		return nil, &cloud.Invalid{
			Field: option.Subnets.Name, Value: "",
			Want: fmt.Sprintf("no subnet of VPC %s will do for an %s balancer: one has to be without another cluster's tag, in an availability zone and, for an external balancer, have a route to an internet gateway", d.config.Cluster.VPC, scope),
		}
	}
	return ids, nil
}

// byZone returns subnets in the order of the names of their zones.
func (a *area) byZone(ids []string) []string {
	zone := func(id string) string {
		subnet, _ := a.subnet(id)
		return awssdk.ToString(subnet.AvailabilityZone)
	}
	return slices.SortedFunc(slices.Values(ids), func(x, y string) int { return cmp.Or(cmp.Compare(zone(x), zone(y)), cmp.Compare(x, y)) })
}

// namedSubnets resolves ids and names.
func (a *area) namedSubnets(given []string) ([]string, error) {
	var ids []string
	for _, text := range given {
		var found []string
		for _, subnet := range a.subnets {
			if awssdk.ToString(subnet.SubnetId) == text || tag.Of(subnet.Tags)["Name"] == text {
				found = append(found, awssdk.ToString(subnet.SubnetId))
			}
		}
		if len(found) != 1 || slices.Contains(ids, found[0]) {
			return nil, &cloud.Invalid{
				Field: option.Subnets.Name, Value: strings.Join(given, ","),
				Want: fmt.Sprintf("%q is the id or name of %d subnets of the VPC that are not in the list yet, want 1", text, len(found)),
			}
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
func (d *Driver) usableSubnets(a *area, scope cloud.Scope) []ec2types.Subnet {
	var ours []ec2types.Subnet
	for _, subnet := range a.subnets {
		if tags := tag.Of(subnet.Tags); d.config.Cluster.Has(tags) || !tag.InAny(tags) {
			ours = append(ours, subnet)
		}
	}
	if fallback, exists := a.subnet(d.config.FallbackSubnet); len(ours) == 0 && exists {
		ours = append(ours, fallback)
	}
	return slices.DeleteFunc(ours, func(subnet ec2types.Subnet) bool {
		regular, known := a.regular[awssdk.ToString(subnet.AvailabilityZone)]
		return known && !regular || scope == cloud.ScopeExternal && !a.public[awssdk.ToString(subnet.SubnetId)]
	})
}

// preferred compares two subnets of one zone: first the one with the role's tag, then the one with
// the cluster's, then the one with the smaller id.
func (d *Driver) preferred(x, y ec2types.Subnet, scope cloud.Scope) int {
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
		if d.config.Cluster.Has(tags) {
			order--
		}
		return order
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(awssdk.ToString(x.SubnetId), awssdk.ToString(y.SubnetId)))
}
