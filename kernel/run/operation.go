package run

import "context"

// operation is one driver call. Its name is a label of metrics and part of error texts, so
// it never changes.
type operation struct {
	name string
	// read says that repeating the call does no harm.
	read bool
}

// The driver calls.
var (
	opIdentity          = operation{"identity", true}
	opParseProviderID   = operation{"parse provider id", false}
	opListInstances     = operation{"list instances", true}
	opGetInstances      = operation{"get instances", true}
	opFindInstance      = operation{"find instance", true}
	opReadLabels        = operation{"read labels", true}
	opTagMachines       = operation{"tag machines", false}
	opUntagMachines     = operation{"untag machines", false}
	opObserveBalancer   = operation{"observe balancer", true}
	opListBalancers     = operation{"list balancers", true}
	opNormalizeBalancer = operation{"normalize balancer", false}
	opCheckBalancer     = operation{"check balancer", true}
	opPlanBalancer      = operation{"plan balancer", true}
	opApplyBalancer     = operation{"apply balancer", false}
	opListRoutes        = operation{"list routes", true}
	opCreateRoute       = operation{"create route", false}
	opDeleteRoute       = operation{"delete route", false}
	opObserveFirewall   = operation{"observe firewall", true}
	opNormalizeFirewall = operation{"normalize firewall", false}
	opApplyFirewall     = operation{"apply firewall", false}
)

// otherOperation labels requests made outside of any driver call, such as those of a
// constructor.
const otherOperation = "other"

type operationKey struct{}

// WithOperation returns a context whose requests are measured under that name. Decorate
// sets it for every driver call.
func WithOperation(ctx context.Context, op string) context.Context {
	return context.WithValue(ctx, operationKey{}, op)
}

// OperationOf returns the name of the driver call a context belongs to, "other" when none.
func OperationOf(ctx context.Context) string {
	if op, ok := ctx.Value(operationKey{}).(string); ok {
		return op
	}
	return otherOperation
}
