package run

// driverMethod is a method of a driver that is called. Its name is a label of metrics and part of error texts, so
// it never changes.
type driverMethod struct {
	name string
	// read says that repeating the call does no harm.
	read bool
}

// The driver calls.
var (
	opIdentity          = driverMethod{"identity", true}
	opParseProviderID   = driverMethod{"parse provider id", false}
	opListInstances     = driverMethod{"list instances", true}
	opGetInstances      = driverMethod{"get instances", true}
	opFindInstance      = driverMethod{"find instance", true}
	opReadLabels        = driverMethod{"read labels", true}
	opTagMachines       = driverMethod{"tag machines", false}
	opUntagMachines     = driverMethod{"untag machines", false}
	opObserveBalancer   = driverMethod{"observe balancer", true}
	opListBalancers     = driverMethod{"list balancers", true}
	opReadNetwork       = driverMethod{"read network", true}
	opNormalizeBalancer = driverMethod{"normalize balancer", false}
	opCheckBalancer     = driverMethod{"check balancer", true}
	opPlanBalancer      = driverMethod{"plan balancer", true}
	opApplyBalancer     = driverMethod{"apply balancer", false}
	opListRoutes        = driverMethod{"list routes", true}
	opCreateRoute       = driverMethod{"create route", false}
	opDeleteRoute       = driverMethod{"delete route", false}
	opObserveFirewall   = driverMethod{"observe firewall", true}
	opNormalizeFirewall = driverMethod{"normalize firewall", false}
	opApplyFirewall     = driverMethod{"apply firewall", false}
	opOperationStates   = driverMethod{"read operations", true}
)
