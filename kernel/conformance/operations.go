package conformance

import (
	"context"
	"errors"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// operate lets operations that a write named end, and checks that the driver tells of them: each is
// known after the answer, and has ended without a failure when time has passed.
func (f *fixture) operate(ids []string) error {
	f.Helper()
	if len(ids) == 0 {
		return nil
	}
	api := f.driver.Operations
	if api == nil {
		f.Fatalf("a write names the operations %q, but the driver has no Operations", ids)
	}
	states, err := api.OperationStates(f.ctx(), ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, known := states[id]; !known {
			f.Errorf("OperationStates does not know %s, which a write has just named", id)
		}
	}
	f.control.Settle()
	states, err = api.OperationStates(f.ctx(), ids)
	for id, state := range states {
		if state.Running || state.Err != nil {
			f.Errorf("operation %s: running %t, error %v; want an end without a failure", id, state.Running, state.Err)
		}
	}
	return err
}

// settledRoutes are the routes of a driver whose writes have ended when they return.
type settledRoutes struct {
	cloud.Routes
	f *fixture
}

func (r settledRoutes) CreateRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	return r.f.ended(r.Routes.CreateRoute(ctx, owner, route)) //nolint:contextcheck // the fixture has one for each call
}

func (r settledRoutes) DeleteRoute(ctx context.Context, owner cloud.Owner, route cloud.Route) error {
	return r.f.ended(r.Routes.DeleteRoute(ctx, owner, route)) //nolint:contextcheck // the fixture has one for each call
}

// ended waits for a write that goes on.
func (f *fixture) ended(err error) error {
	f.Helper()
	if running, ok := errors.AsType[*cloud.Running](err); ok {
		return f.operate(running.Operations)
	}
	return err
}

// unknownOperation checks that an operation the cloud does not know is missing, and no error: the
// others are in the answer all the same.
func unknownOperation(f *fixture) {
	api := f.driver.Operations
	if api == nil {
		return
	}
	states, err := api.OperationStates(f.ctx(), []string{"operation-of-nobody"})
	f.must(err, "OperationStates")
	if len(states) != 0 {
		f.Errorf("states of an operation that is not there: %v", states)
	}
}
