// Package balancer has what both kinds of load balancers have in common: the names of fields, findings, and what follows from the Service
// alone.
package balancer

import (
	"cmp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Managed fields of a balancer that only AWS has, see cloud.Balancer.ProviderFields.
const (
	// FieldType is classic or network.
	FieldType = "type"
	// FieldSubnets are the ids of its subnets, sorted; on network balancers with the address
	// each was asked to have: "subnet-1=eipalloc-1,subnet-2".
	FieldSubnets = "subnets"
	// FieldGroups are its security groups, sorted: AWS has an order of its own. One that was made
	// for it is secgroup.OwnGroup.
	FieldGroups = "securityGroups"
	FieldTags   = tag.Field

	FieldCrossZone   = "crossZone"
	FieldLog         = "accessLog"         // "true" or "false"
	FieldLogBucket   = "accessLogBucket"   // only while the log is on
	FieldLogPrefix   = "accessLogPrefix"   // only while the log is on
	FieldLogInterval = "accessLogInterval" // minutes, classic only, only while the log is on
	FieldProtection  = "deletionProtection"
	// FieldIdleTimeout is in seconds. Listeners of network balancers have it while it is managed.
	FieldIdleTimeout = cloud.FieldIdleTimeout
)

// Values of FieldType.
const (
	KindClassic = "classic"
	KindNetwork = "network"
)

// Managed fields of a listener of a network balancer, see cloud.Listener.ProviderFields.
const (
	FieldCertificates = "certificates" // ARNs, the default one first
	FieldTLSPolicy    = "tlsPolicy"
	FieldTargetType   = "targetType"
	FieldPreserve     = "preserveClientIP"
	FieldProxy        = "proxyProtocol"
	FieldSticky       = "stickiness"
)

// Kind returns the kind the Service asks for, or has to keep.
func Kind(in cloud.Input) string {
	if preserved := in.Preserved[FieldType]; preserved != "" {
		return preserved
	}
	if option.Type.In(in.Options) == option.TypeNetwork {
		return KindNetwork
	}
	return KindClassic
}

// KindOf returns the kind of balancer that an id is of: network ones have ARNs.
func KindOf(id string) string {
	if strings.HasPrefix(id, "arn:") {
		return KindNetwork
	}
	return KindClassic
}

// Name returns the name the balancer shall have. One that was taken over keeps its own.
func Name(in cloud.Input) string {
	return cmp.Or(option.Name.In(in.Options), Found.Open(in.Findings).Name, cloud.UIDName(in.Owner.UID))
}

// GivenUp reports whether the Service gives its balancer up for good: nothing is asked for any more.
func GivenUp(known cloud.Known) bool { return known.Deleting && !known.Retained }

// FoundAgain reports whether the name of a balancer follows from its Service, so that what is left without it is found.
func FoundAgain(in cloud.Input, name string) bool {
	return name == Name(cloud.Input{Spec: cloud.Spec{Owner: in.Owner, Options: in.Options}, Known: cloud.Known{ID: in.ID}})
}
