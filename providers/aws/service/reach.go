package service

import (
	"regexp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// What is here keeps a Service from naming what is another's.

// namedNew are the ids of security groups on the Service that its balancer does not have yet.
func (s *snapshot) namedNew(spec cloud.Spec) []string {
	named := slices.Concat(option.Groups.List(spec.Options), option.ExtraGroups.List(spec.Options))
	return slices.DeleteFunc(named, func(id string) bool { return slices.Contains(s.seen().groups, id) })
}

// defaultNames are the names balancers have when nothing else is asked for.
var defaultNames = regexp.MustCompile(`^a[0-9a-f]{31}$`)

// checkReach refuses what a Service names that is not its own.
func checkReach(spec cloud.Spec, vpc string) error {
	if id := spec.Lookups[balancer.LookupGroupProblem]; id != "" {
		key := option.Groups
		if !slices.Contains(option.Groups.List(spec.Options), id) {
			key = option.ExtraGroups
		}
		return &cloud.Invalid{Field: key.Name, Value: id, Want: "want ids of security groups of VPC " + vpc + " that were not made for another Service or cluster"}
	}
	name := option.Name.In(spec.Options)
	if defaultNames.MatchString(name) && name != cloud.UIDName(spec.Ref.Owner.UID) && name != spec.Lookups[balancer.LookupName] {
		return &cloud.Invalid{Field: option.Name.Name, Value: name, Want: `"a" and 31 hexadecimal digits are the form of names that follow from a Service's UID: choose another`}
	}
	return nil
}
