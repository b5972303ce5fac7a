package aws

// Managed fields of a balancer that only AWS has, see cloud.Balancer.Extras.
const (
	// fieldType is classic or network.
	fieldType = "type"
	// fieldSubnets are the ids of its subnets, sorted; on network balancers with the address
	// each was asked to have: "subnet-1=eipalloc-1,subnet-2".
	fieldSubnets = "subnets"
	// fieldGroups are its security groups, sorted: AWS has an order of its own. One that was made
	// for it is ownGroup.
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

	// fieldSpares are the names of target groups of the Service that no listener leads to.
	fieldSpares = "spares"
)

// Values of fieldType.
const (
	kindClassic = "classic"
	kindNetwork = "network"
)

// ownGroup stands in fieldGroups for the balancer's own security group, which may have to be made.
const ownGroup = "own"

// groupless is the value of factGroups of a network balancer without security groups.
const groupless = "none"

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
	// factGroupProblem is the first of the security groups on the Service that it may not have.
	factGroupProblem = "groupProblem"
	// factName is the name of the balancer there is.
	factName = "name"
	// factShut are the names of nodes of which no security group can be opened.
	factShut = "shut"
	// factIPv6 is "true" when all of them have an IPv6 network.
	factIPv6 = "ipv6"
	// factGroups are the security groups a network balancer has, as in fieldGroups, and
	// groupless when it was made without any: it can't get one then.
	factGroups = "groups"
	// factTaken is "true" when a network balancer has no marks of ours: it was there before.
	// factHeld is the value of its tagHeld, factListeners what its listeners lead to
	// ("80:instance:TCP,443:ip:HTTP": port, target type, protocol of the health check), and
	// factStack "true" or "false" for dual stack.
	factTaken     = "taken"
	factHeld      = "held"
	factListeners = "listeners"
	factStack     = "stack"
	// factAddresses says which address each subnet of a network balancer has, as in fieldSubnets.
	factAddresses = "addresses"
)

// factsOfBalancer are those about the balancer there is, which one in its place does not have.
var factsOfBalancer = []string{factName, factGroups, factAddresses, factTaken, factHeld, factListeners, factStack}

// Traits of machines, see cloud.Instance.Traits.
const (
	traitGroups  = "groups"  // ids of its security groups, sorted, with commas
	traitVPC     = "vpc"     // id
	traitSubnet  = "subnet"  // id
	traitTagged  = "tagged"  // "true" when it has the cluster's tag
	traitFargate = "fargate" // "true" for one of AWS Fargate
)
