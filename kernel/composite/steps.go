package composite

import (
	"context"
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Planner says which steps a change takes.
type Planner interface {
	// Steps returns the steps of a change, in the order in which they are carried out. It only
	// reads.
	Steps(ctx context.Context, change cloud.Change) ([]cloud.Operation, error)
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
	var operations []cloud.Operation
	nodes := map[cloud.InstanceID]string{}
	for _, candidate := range change.Input.Candidates {
		nodes[candidate.InstanceID] = candidate.NodeName
	}
	for _, s := range steps {
		operations = append(operations, s.operations(nodes)...)
	}
	return operations, nil
}

// operations returns the step as it is printed, with the names of nodes: each of several resources in one request by itself.
func (s *step) operations(nodes map[cloud.InstanceID]string) []cloud.Operation {
	if s.kind.Together == "" || s.verb == cloud.Update {
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
	case s.kind.Batch != "":
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
			before = append(before, value(s.present.Fields[field]))
			after = append(after, value(s.wanted.Fields[field]))
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
	return called(kind, r.Key)
}
