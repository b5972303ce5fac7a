package aws

// Managed fields of a balancer that only AWS has, see cloud.Balancer.ProviderFields.
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

// groupless is the value of lookupGroups of a network balancer without security groups.
const groupless = "none"

// Facts that Observe finds out for Normalize, see cloud.Spec.Lookups.
const (
	// lookupSubnets are the subnets the balancer shall have, in the order in which addresses are
	// given to them; lookupSubnetProblem says what is wrong with the annotation, or with the VPC.
	lookupSubnets       = "subnets"
	lookupSubnetProblem = "subnetProblem"
	// lookupGroupProblem is the first of the security groups on the Service that it may not have.
	lookupGroupProblem = "groupProblem"
	// lookupName is the name of the balancer there is.
	lookupName = "name"
	// lookupShut are the names of nodes of which no security group can be opened.
	lookupShut = "shut"
	// lookupIPv6 is "true" when all of them have an IPv6 network.
	lookupIPv6 = "ipv6"
	// lookupGroups are the security groups a network balancer has, as in fieldGroups, and
	// groupless when it was made without any: it can't get one then.
	lookupGroups = "groups"
	// lookupTaken is "true" when a network balancer has no marks of ours: it was there before.
	// lookupHeld is the value of its tag.Held, lookupListeners what its listeners lead to
	// ("80:instance:TCP,443:ip:HTTP": port, target type, protocol of the health check), and
	// lookupStack "true" or "false" for dual stack.
	lookupTaken     = "taken"
	lookupHeld      = "held"
	lookupListeners = "listeners"
	lookupStack     = "stack"
	// lookupAddresses says which address each subnet of a network balancer has, as in fieldSubnets.
	lookupAddresses = "addresses"
)

// lookupsOfBalancer are those about the balancer there is, which one in its place does not have.
var lookupsOfBalancer = []string{lookupName, lookupGroups, lookupAddresses, lookupTaken, lookupHeld, lookupListeners, lookupStack}
