package loadbalancer

import (
	"context"
	"errors"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// ofResources is a cloud whose load balancers have rules, which the portable view does not show.
type ofResources struct {
	*fakeDriver
	// lacks says that a rule is missing; keeps that the cloud keeps one that is made.
	lacks, keeps bool
	err          error
}

func (o *ofResources) Forecast(ctx context.Context, change cloud.Change) ([]cloud.Operation, error) {
	return o.Steps(ctx, change)
}

func (o *ofResources) Steps(_ context.Context, change cloud.Change) ([]cloud.Operation, error) {
	if !o.lacks || change.After == nil {
		return nil, o.err
	}
	return []cloud.Operation{{Verb: cloud.Create, Kind: "rule", Key: "tcp 80"}}, o.err
}

func (o *ofResources) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	o.lacks = o.lacks && !o.keeps
	return o.fakeDriver.Apply(ctx, change)
}

func newResources(t *testing.T) (*fixture, *ofResources) {
	f := newFixture(t)
	o := &ofResources{fakeDriver: f.driver, keeps: true}
	f.wrapped = o
	f.restart()
	f.settle()
	f.events.take()
	f.driver.writes = nil
	return f, o
}

func TestDifferenceOfResources(t *testing.T) {
	f, o := newResources(t)
	o.lacks = true
	forecast, err := f.Forecast(t.Context(), f.svc, f.nodes)
	if err != nil || len(forecast.Plan.Operations) != 1 || forecast.Plan.Operations[0].Kind != "rule" || forecast.Plan.Steps != nil {
		t.Errorf("the plan is %+v, %v; want the rule once", forecast.Plan, err)
	}
	f.settle()
	f.said(event.DriftRepaired.Name + ": brought back: rule tcp 80")
	if len(f.driver.writes) != 1 || o.lacks {
		t.Errorf("writes %v", f.driver.writes)
	}
	f.settle()
	if len(f.driver.writes) != 1 {
		t.Errorf("it wrote although nothing differs: %v", f.driver.writes)
	}
}

func TestDifferenceOfResourcesThatStays(t *testing.T) {
	f, o := newResources(t)
	o.lacks, o.keeps = true, false
	for range 6 {
		f.settle()
	}
	if len(f.driver.writes) != 3 {
		t.Errorf("%d writes, want 3", len(f.driver.writes))
	}
}

func TestResourcesThatCannotBeCompared(t *testing.T) {
	f, o := newResources(t)
	o.err = errors.New("no answer")
	if err := f.ensure(); !errors.Is(err, o.err) || len(f.driver.writes) > 0 {
		t.Errorf("error %v, writes %v", err, f.driver.writes)
	}
}
