package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// maxLabelRepeats is how often a request for labels of machines is sent again that the cloud has throttled: a Node
// waits for them, and most Nodes do without rather than wait.
const maxLabelRepeats = 1

type labeler struct {
	*caller
	cloud.Labeler
}

func (l *labeler) Labels(ctx context.Context, machines []cloud.Instance) (map[cloud.InstanceID]map[string]string, error) {
	return call(ctx, l.caller, opReadLabels, func(ctx context.Context) (map[cloud.InstanceID]map[string]string, error) {
		return l.Labeler.Labels(transport.WithRepeats(ctx, maxLabelRepeats), machines)
	})
}

type tagger struct {
	*caller
	cloud.Tagger
}

func (t *tagger) Tag(ctx context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) ([]cloud.InstanceID, error) {
	return call(ctx, t.caller, opTagMachines, func(ctx context.Context) ([]cloud.InstanceID, error) {
		return t.Tagger.Tag(ctx, ids, resources, tags)
	})
}

func (t *tagger) Untag(ctx context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) error {
	return run(ctx, t.caller, opUntagMachines, func(ctx context.Context) error {
		return t.Tagger.Untag(ctx, ids, resources, tags)
	})
}

type routes struct {
	*caller
	next cloud.Routes
}

func (r *routes) ListRoutes(ctx context.Context, owner cloud.Owner) ([]cloud.Route, error) {
	return call(ctx, r.caller, opListRoutes, func(ctx context.Context) ([]cloud.Route, error) {
		return r.next.ListRoutes(ctx, owner)
	})
}

func (r *routes) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	return run(ctx, r.caller, opCreateRoute, func(ctx context.Context) error {
		return r.next.CreateRoute(ctx, owner, route)
	})
}

func (r *routes) DeleteRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	return run(ctx, r.caller, opDeleteRoute, func(ctx context.Context) error {
		return r.next.DeleteRoute(ctx, owner, route)
	})
}

type firewalls struct {
	*caller
	cloud.Firewalls
}

func (f *firewalls) ObserveFirewall(ctx context.Context) (cloud.ObservedFirewall, error) {
	return call(ctx, f.caller, opObserveFirewall, f.Firewalls.ObserveFirewall)
}

func (f *firewalls) NormalizeFirewall(openings []cloud.Opening) ([]cloud.Opening, error) {
	return pure(f.caller, opNormalizeFirewall, func() ([]cloud.Opening, error) {
		return f.Firewalls.NormalizeFirewall(openings)
	})
}

func (f *firewalls) ApplyFirewall(ctx context.Context, before cloud.ObservedFirewall, openings []cloud.Opening) error {
	return run(ctx, f.caller, opApplyFirewall, func(ctx context.Context) error {
		return f.Firewalls.ApplyFirewall(ctx, before, openings)
	})
}

type operations struct {
	*caller
	next cloud.Operations
}

// OperationStates classifies what an operation failed with, as if its change had failed at once. The text does not
// name the operation: the same failure has the same text each time, and so one event.
func (o *operations) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states, err := call(ctx, o.caller, opOperationStates, func(ctx context.Context) (map[string]cloud.OperationState, error) {
		return o.next.OperationStates(ctx, ids)
	})
	for id, state := range states {
		if state.Err != nil {
			failure := o.failure(state.Err)
			o.count(ctx, opOperationStates, failure)
			state.Err = &cloud.Error{Failure: failure, Op: "operation", Err: state.Err}
			states[id] = state
		}
	}
	return states, err
}
