package packetfilter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// KindRule is the kind of resources that are rules.
const KindRule = "security group rule"

// The fields of a rule. Nothing but its description can change.
var (
	FieldGroup       = cloud.NewField[cloud.Reference]("Group")
	FieldPeer        = cloud.NewField[cloud.Reference]("Peer") // of a rule about a group
	FieldDescription = cloud.NewField[string]("Description")
)

// Resource returns a rule of a group. Where the peer is the balancer's own group, that is what the rule refers to.
func Resource(group cloud.Reference, r Rule, n Attributes, own *cloud.Resource) cloud.Resource {
	one := cloud.Resource{
		Kind: KindRule, Key: fmt.Sprintf("%s in %s", r, cmp.Or(group.Of.Key, group.ID)), ID: n.ID, Native: nativeRule.Seal(r),
		Fields: cloud.FieldsOf(FieldGroup.Is(group), FieldDescription.Is(n.Description)),
	}
	switch {
	case r.Peer.Group == "":
	case own != nil && (r.Peer.Group == own.ID || r.Peer.Group == OwnGroup):
		one.Fields = one.Fields.With(FieldPeer.Is(cloud.To(own.Ref())))
	default:
		one.Fields = one.Fields.With(FieldPeer.Is(cloud.ToID(r.Peer.Group)))
	}
	return one
}

// Of returns the rule that a resource is, with ids in the place of what stands for them, and the id of its group.
func Of(r cloud.Resource) (group string, rule Rule, description string) {
	rule = nativeRule.Open(r.Native)
	if rule.Peer.Group != "" {
		rule.Peer.Group = FieldPeer.Of(r).ID
	}
	return FieldGroup.Of(r).ID, rule, FieldDescription.Of(r)
}

// AddOwn adds what differs of a group that is a resource, and has the wanted rules and no others. Of one that cannot be had, nothing
// is closed.
func AddOwn(r *cloud.Resources, group cloud.Resource, has, wanted Rules) {
	missing := wanted.Without(has)
	for _, rule := range missing.Sorted() {
		one := Resource(cloud.To(group.Ref()), rule, missing[rule], nil)
		one.Problem = group.Problem
		r.Wanted = append(r.Wanted, one)
	}
	if group.Problem != nil {
		return
	}
	for _, rule := range has.Without(wanted).Sorted() {
		r.Present = append(r.Present, Resource(cloud.To(group.Ref()), rule, has[rule], nil))
	}
}

// AddReferring adds the rules of other groups that refer to one that goes.
func AddReferring(r *cloud.Resources, groups map[string]Rules, own cloud.Resource) {
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		for _, rule := range groups[id].Sorted() {
			if rule.Peer == (Peer{Group: own.ID}) && own.ID != "" && id != own.ID {
				r.Present = append(r.Present, Resource(cloud.ToID(id), rule, groups[id][rule], &own))
			}
		}
	}
}

// Needs are the rules that groups have to have for one balancer, all the same ones. Others may have rules there too.
type Needs struct {
	Groups []string
	Rules  Rules
	// Optional rules are neither missed nor too much.
	Optional Rules
	// Mine recognises a rule that was made for the balancer, among all of a group.
	Mine func(all Rules, r Rule, description string) bool
	// NewOwner says who else needs a rule; nil when nobody can. Only what is closed is asked for.
	NewOwner NewOwner
}

// NewOwner says whether another balancer needs a rule in that group, and the description it then gets.
type NewOwner func(group string, r Rule) (needed bool, description string, err error)

// AddTo adds the rules of groups that are missing, and those that were made for the balancer and are not needed. One that another
// balancer needs gets its description. Own is the balancer's own group, nil where it has none. With doubt, when a target is
// no candidate, what seems too much may be needed.
func (n Needs) AddTo(r *cloud.Resources, groups map[string]Rules, own *cloud.Resource, doubt bool) error {
	for _, id := range n.Groups {
		missing := n.Rules.Without(groups[id])
		for _, rule := range missing.Sorted() {
			one := Resource(cloud.ToID(id), rule, missing[rule], own)
			if own != nil {
				one.Needs = []cloud.IDOf{own.Ref()}
			}
			r.Wanted = append(r.Wanted, one)
		}
	}
	if doubt {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		surplus := n.surplus(id, groups[id])
		for _, rule := range surplus.Sorted() {
			needed, next, err := n.newOwner(id, rule)
			has := surplus[rule]
			switch one := Resource(cloud.ToID(id), rule, has, own); {
			case err != nil:
				return err
			case !needed:
				r.Present = append(r.Present, one)
			case next != has.Description:
				r.Present = append(r.Present, one)
				r.Wanted = append(r.Wanted, Resource(cloud.ToID(id), rule, Attributes{has.ID, next}, own))
			}
		}
	}
	return nil
}

func (n Needs) newOwner(group string, r Rule) (bool, string, error) {
	if n.NewOwner == nil {
		return false, "", nil
	}
	return n.NewOwner(group, r)
}

// surplus returns the rules for the balancer on a group that it does not need there.
func (n Needs) surplus(id string, has Rules) Rules {
	left := Rules{}
	for r, attributes := range has {
		_, needed := n.Rules[r]
		_, optional := n.Optional[r]
		used := (needed || optional) && slices.Contains(n.Groups, id)
		// What lets the members of a group talk to each other is never a balancer's, though one may
		// have had that group too.
		if !used && r.Peer.Group != id && n.Mine(has, r, attributes.Description) {
			left[r] = attributes
		}
	}
	return left
}
