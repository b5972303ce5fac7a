package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
)

// recorder is a composite driver of which every step that is carried out is noted down.
type recorder struct {
	cloud.Driver
	cloud.Composite
	steps *[]cloud.Operation
}

// recording returns the driver, with a recorder where it is composite.
func (f *fixture) recording() cloud.Driver {
	if c, ok := f.driver.(cloud.Composite); ok {
		return &recorder{Driver: f.driver, Composite: c, steps: f.steps}
	}
	return f.driver
}

func (r *recorder) note(verb cloud.Verb, kind, key string) {
	*r.steps = append(*r.steps, cloud.Operation{Verb: verb, Kind: cloud.Kind(kind), Key: key})
}

func (r *recorder) noteAll(verb cloud.Verb, list []cloud.Resource) {
	for _, one := range list {
		r.note(verb, one.Kind, one.Key)
	}
}

func (r *recorder) ResourceKinds() []cloud.ResourceKind {
	kinds := slices.Clone(r.Composite.ResourceKinds())
	for i, kind := range kinds {
		kinds[i].Create = func(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
			r.note(cloud.Create, kind.Name, wanted.Key)
			return kind.Create(ctx, wanted, with)
		}
		if kind.CreateBalancer != nil {
			kinds[i].CreateBalancer = func(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, []cloud.BalancerAddress, error) {
				r.note(cloud.Create, kind.Name, wanted.Key)
				return kind.CreateBalancer(ctx, wanted, with)
			}
		}
		kinds[i].Update = func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			r.note(cloud.Update, kind.Name, wanted.Key)
			return kind.Update(ctx, present, wanted, fields)
		}
		kinds[i].Delete = func(ctx context.Context, present cloud.Resource) error {
			r.note(cloud.Delete, kind.Name, present.Key)
			return kind.Delete(ctx, present)
		}
		kinds[i].Add = func(ctx context.Context, wanted []cloud.Resource) error {
			r.noteAll(cloud.Create, wanted)
			return kind.Add(ctx, wanted)
		}
		kinds[i].Remove = func(ctx context.Context, present []cloud.Resource) error {
			r.noteAll(cloud.Delete, present)
			return kind.Remove(ctx, present)
		}
		kinds[i].Write = func(ctx context.Context, id string, wanted []cloud.Resource) error {
			r.note(cloud.Update, kind.Name, "")
			return kind.Write(ctx, id, wanted)
		}
	}
	return kinds
}

// plannedSteps returns the steps that a change takes, nil where the cloud writes whole objects.
func (f *fixture) plannedSteps(change cloud.Change) (*[]cloud.Operation, error) {
	planner, ok := f.balancers().(composite.Planner)
	if !ok {
		return nil, nil
	}
	steps, err := planner.Steps(f.ctx(), change)
	return &steps, err
}

// asPlanned checks that what was carried out is what the plan said, step by step.
func (f *fixture) asPlanned(planned *[]cloud.Operation) error {
	if planned == nil {
		return nil
	}
	plain := []cloud.Operation{}
	for _, op := range *planned {
		step := cloud.Operation{Verb: op.Verb, Kind: op.Kind, Key: op.Key}
		if f.isBatch(op.Kind) {
			step.Key = ""
		}
		plain = append(plain, step)
	}
	if difference := cmp.Diff(plain, append([]cloud.Operation{}, *f.steps...)); difference != "" {
		return fmt.Errorf("the steps that were carried out are not the plan (-planned +carried out):\n%s", difference)
	}
	return nil
}

func (f *fixture) isBatch(name cloud.Kind) bool {
	c, ok := f.driver.(cloud.Composite)
	return ok && slices.ContainsFunc(c.ResourceKinds(), func(k cloud.ResourceKind) bool {
		return k.Name == string(name) && k.Batch != ""
	})
}
