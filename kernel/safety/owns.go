// Package safety holds the decisions that keep a mistake small: who owns a balancer, and
// how many nodes may be deleted in a while. Both are free of I/O: whoever asks acts, and a
// Store keeps what the brake counts.
package safety

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Case is what is known when it has to be decided whether a Service may have a load balancer.
type Case struct {
	// Service is the Service that asks.
	Service  cloud.Owner
	Observed cloud.Observed
	// Named are the ids that the Service's annotations name. Whoever edits the Service writes
	// them, so they say what is asked for and prove nothing.
	Named []string
	// Created is the id of the load balancer that this process made for the Service.
	Created string
	// Published says that the Service's status has an address of the load balancer that nothing
	// else can have. Only controllers write that.
	Published bool
	// Holder is another Service whose status has an address of the load balancer, zero when none
	// has.
	Holder cloud.Owner
	// Orphan says that no Service of this cluster has the UID that the load balancer's name holds.
	Orphan bool
	// Deleting says that the Service gives its load balancer up. What it never had it does not
	// take to delete it.
	Deleting bool
}

// Standing is whose a load balancer is, as far as one Service is concerned.
type Standing string

// The standings.
const (
	// Absent: nothing was found.
	Absent Standing = "absent"
	// Ours: the Service may change and delete it.
	Ours Standing = "ours"
	// Claimed: it is somebody else's.
	Claimed Standing = "claimed"
	// Ambiguous: nothing but a name leads to it, and to others as well.
	Ambiguous Standing = "ambiguous"
	// Unproven: nobody claims it, and nothing proves or permits that the Service has it.
	Unproven Standing = "unproven"
)

// Ownership is the answer of Judge.
type Ownership struct {
	Standing Standing
	// Owner is what is known of the owner of a Claimed one.
	Owner cloud.Owner
}

// Judge decides whether a Service may have the load balancer that was observed. It is pure.
//
// The first row that fits decides, "–" means any value. Empty texts never match. "Named" means
// that an annotation names its id; "by name" that only the name led to it. A name that holds a UID
// is a<UID>, as upstream CCMs derive it; see cloud.UIDName.
//
//	UID tag   Service tag   cluster tag   further                             standing
//	–         –             –             the operator consents, and it is    ours
//	                                      named or the Service stays
//	–         –             –             policy any, named                   ours
//	none      –             –             created                             ours
//	–         –             another       –                                   claimed
//	this      –             –             –                                   ours, unless it has rivals
//	none      –             –             its name holds this UID             ours, unless it has rivals
//	another   –             –             –                                   claimed
//	none      another       –             –                                   claimed
//	none      –             this          its name holds a UID: an orphan     as if it held none
//	none      –             –             its name holds another UID          claimed, unless shared
//	none      –             –             named and published                 ours
//	none      –             –             another Service publishes it        claimed, unless shared
//	none      this          this          –                                   ours, unless it has rivals
//	none      –             –             policy own                          unproven
//	none      –             –             named                               ours: unowned
//	none      –             –             by name, leaving                    unproven
//	none      –             –             by name, with rivals                ambiguous
//	none      –             –             by name                             ours: unowned
//	none      –             –             –                                   unproven
//
// Rivals are Observed.Rivals. A former id of the Service's cluster is this cluster.
func (a Adoption) Judge(c Case) Ownership {
	o, us := c.Observed, c.Service
	named := o.Found && !o.ByName && o.ID != "" && slices.Contains(c.Named, o.ID)
	switch {
	case !o.Found:
		return Ownership{Standing: Absent}
	case a.agrees(c, named), c.created():
		return Ownership{Standing: Ours}
	case ownership.IsElsewhere(o.Owner, us):
		return Ownership{Claimed, o.Owner}
	case ownership.IsTagged(o.Owner, us), o.Owner.UID == "" && ownership.IsInName(o.Balancer.Name, us):
		return Ownership{Standing: c.unlessRivals()}
	case o.Owner.UID != "", ownership.NamesAnother(o.Owner, us), c.namesAnother():
		return Ownership{Claimed, o.Owner}
	case named && c.Published:
		return Ownership{Standing: Ours}
	case c.Holder != (cloud.Owner{}) && !o.Shared:
		return Ownership{Claimed, c.Holder}
	}
	return Ownership{Standing: a.judgeUnowned(c, named)}
}

// agrees reports whether the operator says that the Service may have the load balancer.
func (a Adoption) agrees(c Case, named bool) bool {
	return (named || !c.Deleting) && a.allows(c.Observed.ID, c.Service) || a.rule == AdoptAny && named
}

// created reports whether this process made the load balancer for the Service, and it has no ownership tag of a Service yet.
func (c Case) created() bool {
	o := c.Observed
	return c.Created != "" && c.Created == o.ID && o.Owner.UID == "" && !ownership.NamesAnother(o.Owner, c.Service) && !c.namesAnother()
}

// unlessRivals is the standing of a load balancer that a name may have led to.
func (c Case) unlessRivals() Standing {
	if len(c.Observed.Rivals) > 0 {
		return Ambiguous
	}
	return Ours
}

// namesAnother reports whether the name holds the UID of some Service that may live.
func (c Case) namesAnother() bool {
	return ownership.HoldsUID(c.Observed.Balancer.Name) && !c.Observed.Shared && !c.orphan()
}

// orphan reports whether the UID in the name is that of no Service of this cluster any more.
func (c Case) orphan() bool {
	return c.Orphan && c.Service.HasCluster(c.Observed.Owner.Cluster)
}

// judgeUnowned decides about a load balancer that nobody else claims.
func (a Adoption) judgeUnowned(c Case, named bool) Standing {
	switch {
	case ownership.Of(c.Observed.Owner, c.Service) == ownership.Ours:
		return c.unlessRivals()
	case a.rule == AdoptOwn:
		return Unproven
	case named:
		return Ours
	case c.Observed.ByName && !c.Deleting:
		return c.unlessRivals()
	}
	return Unproven
}
