// Package ownership says whose an object of a cloud is. A driver translates what tags, labels, names and descriptions say
// into a cloud.Owner, and finds; whose that makes the object is decided here and in package safety, and nowhere
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

// Of judges an owner that was read, for any object: a balancer, or a part of one such as a target group. The first row that fits decides,
// "–" means any value. Empty texts never match. A former id of this cluster is this cluster, here and everywhere in this package.
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
func Of(owner, us cloud.Owner) Whose {
	if owner.UID == "" {
		return named(owner, us)
	}
	switch here, same := us.HasCluster(owner.Cluster), HasUID(owner, us); {
	case IsTagged(owner, us):
		return Ours
	case !same && NamesThis(owner, us):
		return Namesake
	case same, !here:
		return AnotherCluster
	}
	return AnotherService
}

// named is Of for an owner without a UID.
func named(owner, us cloud.Owner) Whose {
	switch here, another := us.HasCluster(owner.Cluster), NamesAnother(owner, us); {
	case !here && (another || owner.Cluster != ""):
		return AnotherCluster
	case another:
		return AnotherService
	case !here:
		return Nobody
	case NamesThis(owner, us):
		return Ours
	}
	return ThisCluster
}

// IsElsewhere reports whether an owner names another cluster. Nothing that names one is this cluster's, whatever else it has.
func IsElsewhere(owner, us cloud.Owner) bool {
	return owner.Cluster != "" && !us.HasCluster(owner.Cluster)
}

// HasUID reports whether an owner has the Service's UID, whatever cluster it names.
func HasUID(owner, us cloud.Owner) bool { return owner.UID != "" && owner.UID == us.UID }

// IsTwin reports whether an owner has the Service's UID and names another cluster: one that was restored from the same backup, or
// this one before its id was changed.
func IsTwin(owner, us cloud.Owner) bool {
	return HasUID(owner, us) && IsElsewhere(owner, us)
}

// IsTagged reports whether an owner has the Service's UID and names no other cluster, which is proof enough for a balancer: see
// safety.Adoption.
func IsTagged(owner, us cloud.Owner) bool {
	return HasUID(owner, us) && !IsElsewhere(owner, us)
}

// IsCertain reports whether an owner has the Service's UID and its cluster. It is for a second balancer, which nothing but ownership tags
// led to, before it is deleted or takes the place of the first one.
func IsCertain(owner, us cloud.Owner) bool {
	return IsTagged(owner, us) && us.HasCluster(owner.Cluster)
}

// NamesThis reports whether an owner names this Service, in whatever cluster.
func NamesThis(owner, us cloud.Owner) bool {
	return owner.Name != "" && owner.String() == us.String()
}

// NamesAnother reports whether an owner names a Service, and it is not this one.
func NamesAnother(owner, us cloud.Owner) bool {
	return owner.Namespace != "" && owner.Namespace != us.Namespace ||
		owner.Name != "" && owner.Name != us.Name
}

// IsInName reports whether a name is the cloud.UIDName of the Service, which proves as much as its UID.
func IsInName(name string, us cloud.Owner) bool { return us.UID != "" && name == cloud.UIDName(us.UID) }

// HoldsUID reports whether a name is the cloud.UIDName of some Service.
func HoldsUID(name string) bool {
	return len(name) == 32 && name[0] == 'a' && strings.Trim(name[1:], "0123456789abcdef") == ""
}
