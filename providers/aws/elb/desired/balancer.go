// Package desired says which Classic Load Balancer a Service asks for. It calls nothing.
package desired

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Settings are those that decide about a balancer.
type Settings struct {
	Cluster tag.Cluster
	// Group is the security group of every balancer, instead of one of its own; "" for none.
	Group string
	// Probe is the health check of Services without externalTrafficPolicy Local, nil for one of their own.
	Probe *config.Probe
}

// Normalize returns the classic balancer a Service asks for.
func (s Settings) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	listeners, badPorts := wantedListeners(in.Spec)
	subnets, noSubnets := balancer.Subnets(in)
	health, badCheck := s.Health(in.Spec)
	problems := slices.Concat(check(in.Spec), checkHealth(health, in.Options), []error{badPorts, noSubnets, badCheck})
	if err := errors.Join(problems...); err != nil {
		return cloud.Balancer{}, s.notes(in.Spec), err
	}
	b := cloud.Balancer{
		Name:      balancer.Name(in),
		Scope:     cloud.ScopeOf(option.Internal.Bool(in.Options)),
		Listeners: listeners,
		Health:    health,
		Allow:     s.Allow(in.Spec),
		ProviderFields: map[string]string{
			balancer.FieldType:    balancer.KindClassic,
			balancer.FieldSubnets: balancer.Joined(subnets),
			balancer.FieldGroups:  balancer.Joined(s.Groups(in.Spec)),
			balancer.FieldTags:    option.TagText(tag.Wanted(in.Spec)),
		},
		OwnershipTags: s.Cluster.WantedOwnershipTags(in.Owner),
	}
	maps.Copy(b.ProviderFields, Attributes(in.Spec))
	b.Preserve(in.Preserved)
	return b, s.notes(in.Spec), nil
}

// Groups are the security groups the balancer shall have, secgroup.OwnGroup among them. The nodes
// are opened to the first:
//
//	security-groups  configured group  groups
//	given            –                 the given ones, and extra ones
//	no               yes               that one, and extra ones
//	no               no                its own, and extra ones
func (s Settings) Groups(spec cloud.Spec) []string {
	groups := option.Groups.List(spec.Options)
	if len(groups) == 0 {
		groups = []string{cmp.Or(s.Group, secgroup.OwnGroup)}
	}
	for _, id := range option.ExtraGroups.List(spec.Options) {
		if !slices.Contains(groups, id) {
			groups = append(groups, id)
		}
	}
	return groups
}

// HasOwnGroup reports whether the balancer shall have a security group of its own.
func (s Settings) HasOwnGroup(spec cloud.Spec) bool {
	return slices.Contains(s.Groups(spec), secgroup.OwnGroup)
}

// Enforcer says who enforces source ranges.
func (s Settings) Enforcer(spec cloud.Spec) cloud.Enforcer {
	if s.HasOwnGroup(spec) {
		return cloud.EnforcedByGroup
	}
	return cloud.EnforcedByUser
}

// Allow is what the balancer's own security group enforces. Rules of other groups
// are not ours.
func (s Settings) Allow(spec cloud.Spec) []string {
	if !s.HasOwnGroup(spec) {
		return nil
	}
	return balancer.Allow(spec, false)
}

// IsAsked reports whether a balancer shall have the security groups, the sources and the ports that the
// Service asks for. Where it is left as it is but for its targets, it need not.
func (s Settings) IsAsked(spec cloud.Spec, after cloud.Balancer) bool {
	var asked, has []int
	for _, port := range spec.Ports {
		asked = append(asked, port.Port)
	}
	for _, l := range after.Listeners {
		has = append(has, l.Port)
	}
	slices.Sort(asked)
	slices.Sort(has)
	return slices.Equal(s.Allow(spec), after.Allow) && balancer.Joined(s.Groups(spec)) == after.ProviderFields[balancer.FieldGroups] && slices.Equal(asked, has)
}

// check refuses what a classic balancer can't do.
func check(spec cloud.Spec) []error {
	var problems []error
	refuse := func(wrong bool, field, value, want string) {
		if wrong {
			problems = append(problems, &cloud.Invalid{Field: field, Value: value, Want: want})
		}
	}
	o := spec.Options
	certificates := option.Certificate.List(o)
	attributes := option.TargetAttributes.In(o)
	refuse(len(spec.Ports) == 0, "spec.ports", "", "want at least one port")
	refuse(spec.ClientIP, "spec.sessionAffinity", "ClientIP", "want None: a Classic Load Balancer hides the client's address from the nodes")
	refuse(len(certificates) > 1, option.Certificate.Name, option.Certificate.In(o), "a listener of a Classic Load Balancer has one certificate")
	refuse(option.Log.Bool(o) && option.LogBucket.In(o) == "", option.LogBucket.Name, "", "want the name of the S3 bucket the access log is written to")
	refuse(!option.ClassicTimeout.Has(o) && option.IdleTimeout.Int(o) > option.MaxClassicTimeout, option.IdleTimeout.Name, option.IdleTimeout.In(o), fmt.Sprintf("want at most %d for a Classic Load Balancer", option.MaxClassicTimeout))
	refuse(attributes != "", option.TargetAttributes.Name, attributes, "a Classic Load Balancer has no target groups")
	for _, prefix := range spec.SourceRanges {
		refuse(prefix.Addr().Is6(), "spec.loadBalancerSourceRanges", prefix.String(), "a Classic Load Balancer has IPv4 only, so no such client can reach it")
	}
	return problems
}

// notes say what has no effect.
func (s Settings) notes(spec cloud.Spec) []cloud.Warning {
	notes := option.Unused(spec, option.OnNetwork, "it has no effect on a Classic Load Balancer")
	if option.ClassicTimeout.Has(spec.Options) && option.IdleTimeout.Has(spec.Options) {
		notes = append(notes, cloud.Warning{Field: option.IdleTimeout.Name, Message: option.ClassicTimeout.Name + " is there, which wins"})
	}
	if spec.Restricts(cloud.Families{IPv4: true}) && s.Enforcer(spec) == cloud.EnforcedByUser {
		notes = append(notes, cloud.Warning{Field: "spec.loadBalancerSourceRanges", Message: "they have no effect: the rules of the balancer's security groups are not managed"})
	}
	if spec.DualStack {
		notes = append(notes, cloud.Warning{Field: "spec.ipFamilies", Message: "only IPv4 has an address: a Classic Load Balancer has no other"})
	}
	return notes
}

// Managed fields that only classic balancers have.
const (
	FieldDraining        = "connectionDraining"
	FieldDrainingTimeout = "connectionDrainingTimeout" // seconds, only while draining is on
)

// DefaultIdleTimeout is AWS's default, in seconds.
const DefaultIdleTimeout = "60"

// Attributes are the attributes as managed fields. What has no meaning while something is
// off is not among them.
func Attributes(spec cloud.Spec) map[string]string {
	o := spec.Options
	fields := map[string]string{
		balancer.FieldCrossZone:   strconv.FormatBool(option.CrossZone.Bool(o)),
		balancer.FieldIdleTimeout: cmp.Or(option.ClassicTimeout.In(o), option.IdleTimeout.In(o), DefaultIdleTimeout),
		balancer.FieldLog:         strconv.FormatBool(option.Log.Bool(o)), FieldDraining: strconv.FormatBool(option.Draining.Bool(o)),
	}
	if option.Log.Bool(o) {
		fields[balancer.FieldLogBucket], fields[balancer.FieldLogPrefix], fields[balancer.FieldLogInterval] = option.LogBucket.In(o), option.LogPrefix.In(o), option.LogInterval.In(o)
	}
	if option.Draining.Bool(o) {
		fields[FieldDrainingTimeout] = option.DrainingTimeout.In(o)
	}
	return fields
}
