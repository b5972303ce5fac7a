package safety

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Owns decides whether the balancer that was observed may be changed or deleted for the
// Service of ref. adoptID is the value of the multicloud-ccm.io/adopt annotation, "" when
// it is not set. When it may not, why says so in words for the Service's user.
//
// The first row that fits decides; "–" means any value. Empty strings never match, so a
// ref without a UID or cluster id owns nothing by them.
//
//	found  owner UID    adopt names it  found by    owner cluster  owner name     ours
//	no     –            –               –           –              –              no
//	yes    this         –               –           –              –              yes
//	yes    –            yes             –           –              –              yes: told to
//	yes    another      no              –           –              –              no: another Service's
//	yes    none         no              recorded id –              –              yes: adoption, marks follow
//	yes    none         no              name, mark  this           this or none   yes: ours from before UIDs
//	yes    none         no              name, mark  this           another        no: another Service's
//	yes    none         no              name, mark  another        –              no: another cluster's
//	yes    none         no              name, mark  none           –              no: nothing proves it
//
// "Recorded id" means that Ref.ID is the id of what was found and that the driver did not
// say ByName: a driver that falls back from a stale id to the name has not proved anything.
func Owns(ref cloud.Ref, o cloud.Observed, adoptID string) (ok bool, why string) {
	owner, us := o.Owner, ref.Owner
	switch {
	case !o.Found:
		return false, "no balancer was found"
	case owner.UID != "" && owner.UID == us.UID:
		return true, ""
	case adoptID != "" && adoptID == o.ID:
		return true, ""
	case owner.UID != "":
		return false, fmt.Sprintf("balancer %s belongs to %s; to take it over set the annotation multicloud-ccm.io/adopt to its id", o.ID, claim(owner))
	case ref.ID != "" && ref.ID == o.ID && !o.ByName:
		return true, ""
	default:
		return ownsByName(us, owner, o.ID)
	}
}

// ownsByName decides about a balancer without UID mark that only its name led to.
func ownsByName(us, owner cloud.Owner, id string) (ok bool, why string) {
	switch {
	case owner.Cluster == "":
		return false, fmt.Sprintf("balancer %s was found by its name and nothing proves that it is ours; %s", id, remedy)
	case owner.Cluster != us.Cluster || otherService(owner, us):
		return false, fmt.Sprintf("balancer %s was found by its name but belongs to %s; %s", id, claim(owner), remedy)
	default:
		return true, ""
	}
}

const remedy = "record its id in the Service's id annotation to adopt it, or choose another name"

// otherService reports whether the marks name a Service, and it is not this one.
func otherService(owner, us cloud.Owner) bool {
	return owner.Namespace != "" && owner.Namespace != us.Namespace ||
		owner.Name != "" && owner.Name != us.Name
}

// claim says in words whom the marks name.
func claim(owner cloud.Owner) string {
	text := "another Service"
	if owner.Name != "" {
		text = "Service " + owner.String()
	}
	if owner.UID != "" {
		text += " (UID " + owner.UID + ")"
	}
	if owner.Cluster != "" {
		text += " of cluster " + owner.Cluster
	}
	return text
}
