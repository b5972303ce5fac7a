// Package ownership says whose an object of a cloud is. A driver translates what tags, labels, names and descriptions say
// into a cloud.Owner, the claim, and finds; whose that makes the object is decided here and in package safety, and nowhere
// else. It is free of I/O.
package ownership

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Whose is whose an object is, as far as one Service is concerned.
type Whose string

// The answers of Of.
const (
	Ours           Whose = "this Service's"
	Namesake       Whose = "a Service's of the same name"
	AnotherService Whose = "another Service's of this cluster"
	AnotherCluster Whose = "another cluster's"
	ThisCluster    Whose = "this cluster's"
	Nobody         Whose = "nobody's"
)

// Of judges a claim, for any object: a balancer, or a part of one such as a target group. The first row that fits decides,
// "–" means any value. Empty texts never match.
//
//	UID      Service  cluster  whose
//	this     –        another  another cluster's, which was restored from the same backup as this one
//	this     –        –        this Service's
//	another  this     –        a namesake's: an earlier Service's, or one's of another cluster
//	another  –        this     another Service's
//	another  –        –        another cluster's
//	none     –        another  another cluster's
//	none     another  this     another Service's
//	none     this     this     this Service's
//	none     none     this     the cluster's
//	none     another  none     another cluster's: a Service without its cluster may be anybody's
//	none     –        none     nobody's: the name of a Service proves nothing
func Of(claim, us cloud.Owner) Whose {
	if claim.UID == "" {
		return named(claim, us)
	}
	switch here, marked := isHere(claim, us), IsMarked(claim, us); {
	case marked && (here || claim.Cluster == ""):
		return Ours
	case !marked && isNamesake(claim, us):
		return Namesake
	case marked, !here:
		return AnotherCluster
	}
	return AnotherService
}

// named is Of for a claim without a UID.
func named(claim, us cloud.Owner) Whose {
	switch here, another := isHere(claim, us), NamesAnother(claim, us); {
	case !here && (another || claim.Cluster != ""):
		return AnotherCluster
	case another:
		return AnotherService
	case !here:
		return Nobody
	case isNamesake(claim, us):
		return Ours
	}
	return ThisCluster
}

func isHere(claim, us cloud.Owner) bool { return claim.Cluster != "" && claim.Cluster == us.Cluster }

func isNamesake(claim, us cloud.Owner) bool { return claim.Name != "" && claim.String() == us.String() }

// IsMarked reports whether a claim has the Service's UID, which is proof enough for a balancer: see safety.Adoption.
func IsMarked(claim, us cloud.Owner) bool { return claim.UID != "" && claim.UID == us.UID }

// IsCertain reports whether a claim has the Service's UID and its cluster. It is for a second balancer, which nothing but marks
// led to, before it is deleted or takes the place of the first one.
func IsCertain(claim, us cloud.Owner) bool {
	return IsMarked(claim, us) && isHere(claim, us)
}

// NamesAnother reports whether a claim names a Service, and it is not this one.
func NamesAnother(claim, us cloud.Owner) bool {
	return claim.Namespace != "" && claim.Namespace != us.Namespace ||
		claim.Name != "" && claim.Name != us.Name
}

// IsInName reports whether a name is the cloud.UIDName of the Service, which proves as much as its UID.
func IsInName(name string, us cloud.Owner) bool { return us.UID != "" && name == cloud.UIDName(us.UID) }

// HoldsUID reports whether a name is the cloud.UIDName of some Service.
func HoldsUID(name string) bool {
	return len(name) == 32 && name[0] == 'a' && strings.Trim(name[1:], "0123456789abcdef") == ""
}
