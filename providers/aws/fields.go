package aws

// Managed fields of a balancer that only AWS has, see cloud.Balancer.Extras.
const (
	// fieldType is classic or network.
	fieldType = "type"
	// fieldSubnets are the ids of its subnets, sorted; on network balancers with the address
	// each was asked to have: "subnet-1=eipalloc-1,subnet-2".
	fieldSubnets = "subnets"
	// fieldGroups are its security groups in order; one of its own is ownGroup.
	fieldGroups = "securityGroups"
	// fieldIngress are the rules of its own security group.
	fieldIngress = "ingress"
	// fieldNodeIngress are the rules for it in the security groups of nodes.
	fieldNodeIngress = "nodeIngress"
	// fieldTags are its tags besides the owner marks, "k=v,k=v".
	fieldTags = "tags"

	fieldCrossZone   = "crossZone"
	fieldLog         = "accessLog"         // "true" or "false"
	fieldLogBucket   = "accessLogBucket"   // only while the log is on
	fieldLogPrefix   = "accessLogPrefix"   // only while the log is on
	fieldLogInterval = "accessLogInterval" // minutes, classic only, only while the log is on
	fieldProtection  = "deletionProtection"
)

// Values of fieldType.
const (
	kindClassic = "classic"
	kindNetwork = "network"
)

// ownGroup stands in fieldGroups for the balancer's own security group, which may have to be made.
const ownGroup = "own"

// Values of keyTargetType.
const (
	targetInstance = "instance"
	targetIP       = "ip"
)

// Facts that Observe finds out for Normalize, see cloud.Spec.Facts.
const (
	// factSubnets are the subnets the balancer shall have, in the order in which addresses are
	// given to them; factSubnetProblem says what is wrong with the annotation, or with the VPC.
	factSubnets       = "subnets"
	factSubnetProblem = "subnetProblem"
	// factSubnetRanges are the IPv4 networks of the balancer's subnets, sorted: where its health
	// checks come from. factSubnetRanges6 the IPv6 ones.
	factSubnetRanges  = "subnetRanges"
	factSubnetRanges6 = "subnetRanges6"
	// factTaggedGroups are the ids of security groups with the cluster's tag.
	factTaggedGroups = "taggedGroups"
	// factGroupless says that a network balancer was made without security groups: it can't get
	// any.
	factGroupless = "groupless"
	// factAddresses says which address each subnet of a network balancer has, as in fieldSubnets.
	factAddresses = "addresses"
)

// Traits of machines, see cloud.Instance.Traits.
const (
	traitGroups  = "groups"  // ids of its security groups, sorted, with commas
	traitVPC     = "vpc"     // id
	traitSubnet  = "subnet"  // id
	traitTagged  = "tagged"  // "true" when it has the cluster's tag
	traitFargate = "fargate" // "true" for one of AWS Fargate
)
