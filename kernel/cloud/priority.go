package cloud

import "context"

// Priority says what a call is for, and so orders calls that wait for the API's rate limit.
type Priority int

// Priorities, the most urgent first.
const (
	// PriorityNodeInit is for new Nodes, and what many wait for in common, such as the list of machines.
	PriorityNodeInit Priority = iota
	// PriorityExistence is for the proof that a machine is there or gone.
	PriorityExistence
	// PriorityDeletion is for what a Service gives up.
	PriorityDeletion
	// PriorityBegun is for what has begun and has not ended: the looks at it, and its next steps.
	PriorityBegun
	// PriorityCreation is for a load balancer that is not there yet.
	PriorityCreation
	// PriorityChange is for a change of what is there.
	PriorityChange
	// PriorityRefresh is for comparisons, and all that can wait.
	PriorityRefresh
)

// Priorities is how many there are.
const Priorities = int(PriorityRefresh) + 1

type priorityKey struct{}

// WithPriority returns a context whose cloud calls have that priority.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// WithAtLeast returns a context whose cloud calls have that priority or a more urgent one that they have already. It is for
// calls that others wait for too.
func WithAtLeast(ctx context.Context, p Priority) context.Context {
	return WithPriority(ctx, min(p, PriorityOf(ctx)))
}

// PriorityOf returns the priority of a context, PriorityRefresh when it has none.
func PriorityOf(ctx context.Context) Priority {
	if p, ok := ctx.Value(priorityKey{}).(Priority); ok {
		return p
	}
	return PriorityRefresh
}

type tenantKey struct{}

// WithTenant returns a context whose cloud calls are made for that namespace, "" for nobody in particular. Among calls of one
// priority those of the namespace go first that has used least.
func WithTenant(ctx context.Context, namespace string) context.Context {
	return context.WithValue(ctx, tenantKey{}, namespace)
}

// TenantOf returns the namespace for which a context's cloud calls are made.
func TenantOf(ctx context.Context) string {
	namespace, _ := ctx.Value(tenantKey{}).(string)
	return namespace
}
