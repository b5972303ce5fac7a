package composite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Planner says which steps a change takes. It only reads.
type Planner interface {
	// Steps returns the steps of a change, in the order in which they are carried out.
	Steps(ctx context.Context, change cloud.Change) ([]cloud.Operation, error)
	// Forecast returns those that Apply would carry out, as far as is known beforehand what the cloud would refuse, together with the
	// refusals.
	Forecast(ctx context.Context, change cloud.Change) ([]cloud.Operation, error)
}

var _ Planner = (*balancers)(nil)

// Steps implements Planner.
func (b *balancers) Steps(ctx context.Context, change cloud.Change) ([]cloud.Operation, error) {
	m, err := b.model(ctx, change)
	if err != nil {
		return nil, err
	}
	steps, err := m.plan()
	if err != nil {
		return nil, err
	}
	return printed(steps, change), nil
}

// Forecast implements Planner.
func (b *balancers) Forecast(ctx context.Context, change cloud.Change) ([]cloud.Operation, error) {
	r, err := b.begin(ctx, change)
	if err != nil {
		return nil, err
	}
	var steps []*step
	for len(r.steps) > 0 {
		s := r.steps[0]
		err := r.refusedBeforehand(ctx, s)
		switch {
		case err == nil:
			steps = append(steps, s)
			r.note(s, "")
		case b.isRefusal(err):
			err = r.refuse(s, err)
		}
		if err != nil {
			return printed(steps, change), b.ended(err, r.refusals)
		}
	}
	return printed(steps, change), errors.Join(r.refusals...)
}

// refusedBeforehand returns why the cloud would refuse a step, as far as that is known without it, nil where it is not known.
func (r *run) refusedBeforehand(ctx context.Context, s *step) error {
	if s.replaces == nil || r.unresolved(*s.replaces) == nil { // else it cannot be asked before what it refers to is there
		if err := r.fits(ctx, s); err != nil {
			return err
		}
	}
	if problem := s.wanted.Problem; problem != nil {
		return fmt.Errorf("%s: %w", s.doing(), problem)
	}
	return nil
}

// printed returns steps as they are printed.
func printed(steps []*step, change cloud.Change) []cloud.Operation {
	if len(steps) == 0 {
		return nil
	}
	var operations []cloud.Operation
	nodes := map[cloud.InstanceID]string{}
	for _, candidate := range change.Input.Candidates {
		nodes[candidate.InstanceID] = candidate.NodeName
	}
	for _, s := range steps {
		operations = append(operations, s.operations(nodes)...)
	}
	return operations
}

// operations returns the step as it is printed, with the names of nodes: each of several resources in one request by itself.
func (s *step) operations(nodes map[cloud.InstanceID]string) []cloud.Operation {
	if s.kind.Together.Name() == "" || s.verb == cloud.Update {
		return []cloud.Operation{s.operation(nodes)}
	}
	var list []cloud.Operation
	for _, r := range s.all() {
		list = append(list, cloud.Operation{Verb: s.verb, Kind: cloud.Kind(r.Kind), Key: r.Key})
	}
	return list
}

// operation returns the step as it is printed.
func (s *step) operation(nodes map[cloud.InstanceID]string) cloud.Operation {
	op := cloud.Operation{Verb: s.verb, Kind: cloud.Kind(s.kind.Name), Key: s.present.Key}
	switch {
	case s.kind.Batch.Name() != "":
		op.Key, op.After = s.owner.Key, fmt.Sprintf("%d in all", len(s.with))
	case s.verb == cloud.Create:
		op.Key = s.wanted.Key
		var with []string
		for _, r := range s.with {
			with = append(with, brought(r, nodes[r.Machine]))
		}
		if len(with) > 0 {
			op.After = "with " + strings.Join(with, ", ")
		}
	case s.verb == cloud.Update:
		op.Field = strings.Join(s.fields, ", ")
		var before, after []string
		for _, field := range s.fields {
			is, _ := s.present.Fields.Named(field)
			shall, _ := s.wanted.Fields.Named(field)
			before, after = append(before, value(is.Any())), append(after, value(shall.Any()))
		}
		op.Before, op.After = values(before), values(after)
	}
	return op
}

// brought is a resource that another one is made with: "public interface", "network private", "target node-1", "service 80". A target is called by
// the name of its node, "" where that is not known.
func brought(r cloud.Resource, node string) string {
	kind := strings.ReplaceAll(r.Kind, "_", " ")
	switch {
	case node != "":
		return kind + " " + node
	case strings.HasPrefix(kind, r.Key+" "):
		return kind
	}
	return cloud.IDOf{Kind: kind, Key: r.Key}.String()
}
