package aws

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// What is here keeps a Service from naming what is another's.

// groups are the security groups of the balancer there is.
func (s *snapshot) groups() []string {
	switch {
	case s.classic != nil:
		return s.classic.SecurityGroups
	case s.network != nil:
		return s.network.SecurityGroups
	}
	return nil
}

// namedNew are the ids of security groups on the Service that its balancer does not have yet.
func (s *snapshot) namedNew(spec cloud.Spec) []string {
	named := slices.Concat(option.Groups.List(spec.Options), option.ExtraGroups.List(spec.Options))
	return slices.DeleteFunc(named, func(id string) bool { return slices.Contains(s.groups(), id) })
}

// withNamed returns the area together with the security groups that the Service names and its
// balancer does not have yet.
func (d *Driver) withNamed(ctx context.Context, s *snapshot, spec cloud.Spec) (*area, error) {
	unknown := slices.DeleteFunc(s.namedNew(spec), func(id string) bool { _, known := s.area.groups[id]; return known })
	if spec.Deleting || len(unknown) == 0 {
		return s.area, nil
	}
	whole := *s.area
	whole.groups = maps.Clone(s.area.groups)
	return &whole, d.readGroups(ctx, &whole, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{d.config.Cluster.InVPC(), filter.By("group-id", unknown...)}})
}

// groupProblem returns the first of the security groups on the Service that it may not have, "" when
// there is none. Whether it does not exist or is another's is nobody's business:
//
//	the balancer has it  in the VPC  made for                     the Service may have it
//	yes                  –           –                            yes
//	no                   no          –                            no
//	no                   yes         another Service or cluster   no: its deletion would hang
//	no                   yes         this Service, or no balancer yes
func (d *Driver) groupProblem(s *snapshot, spec cloud.Spec) string {
	for _, id := range s.namedNew(spec) {
		group, exists := s.area.groups[id]
		if !exists || awssdk.ToString(group.VpcId) != d.config.Cluster.VPC || d.isOfAnother(s, group, spec) {
			return id
		}
	}
	return ""
}

// isOfAnother reports whether a group was made for a balancer of another Service or cluster.
func (d *Driver) isOfAnother(s *snapshot, g ec2types.SecurityGroup, spec cloud.Spec) bool {
	tags, us := tag.Of(g.Tags), spec.Ref.Owner
	if uid := tag.Marks.Owner(tags).UID; uid != "" {
		return uid != us.UID
	}
	if slices.ContainsFunc(d.groupNames(spec, s.name(spec), names.Default(us.UID)), func(n groupName) bool { return n.owns(g) }) {
		return false
	}
	owned := slices.ContainsFunc(slices.Sorted(maps.Keys(tags)), func(key string) bool {
		return strings.HasPrefix(key, tag.ClusterPrefix) && tags[key] == tag.Owned || key == tag.Controller
	})
	_, managed := networkGroup("", cloud.Owner{})
	made := awssdk.ToString(g.Description) == managed || strings.HasPrefix(awssdk.ToString(g.Description), classicDescription)
	return owned && (made || !d.config.Cluster.Has(tags))
}

// defaultNames are the names balancers have when nothing else is asked for.
var defaultNames = regexp.MustCompile(`^a[0-9a-f]{31}$`)

// checkReach refuses what a Service names that is not its own.
func checkReach(spec cloud.Spec, vpc string) error {
	if id := spec.Lookups[lookupGroupProblem]; id != "" {
		key := option.Groups
		if !slices.Contains(option.Groups.List(spec.Options), id) {
			key = option.ExtraGroups
		}
		return &cloud.Invalid{Field: key.Name, Value: id, Want: "want ids of security groups of VPC " + vpc + " that were not made for another Service or cluster"}
	}
	name := option.Name.In(spec.Options)
	if defaultNames.MatchString(name) && name != names.Default(spec.Ref.Owner.UID) && name != spec.Lookups[lookupName] {
		return &cloud.Invalid{Field: option.Name.Name, Value: name, Want: `"a" and 31 hexadecimal digits are the form of names that follow from a Service's UID: choose another`}
	}
	return nil
}
