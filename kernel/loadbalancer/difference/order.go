package difference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// step is the place of an operation in the order of execution.
type step int

// The order: what is ours is tagged first, then create and widen, then change, then narrow
// and delete. A crash at any point leaves something that serves at least what it did.
const (
	stepOwnershipTag step = iota
	stepCreateBalancer
	stepOpen
	stepCreateTarget
	stepCreateListener
	stepChange
	stepDeleteListener
	stepDeleteTarget
	stepClose
	stepDeleteBalancer
)

var steps = map[cloud.Verb]map[cloud.Kind]step{
	cloud.Create: {cloud.KindBalancer: stepCreateBalancer, cloud.KindListener: stepCreateListener, cloud.KindTarget: stepCreateTarget},
	cloud.Delete: {cloud.KindBalancer: stepDeleteBalancer, cloud.KindListener: stepDeleteListener, cloud.KindTarget: stepDeleteTarget},
}

// Order sorts operations for execution. It is pure and stable.
func Order(operations []cloud.Operation) []cloud.Operation {
	ordered := slices.Clone(operations)
	slices.SortStableFunc(ordered, func(a, b cloud.Operation) int { return cmp.Compare(stepOf(a), stepOf(b)) })
	return ordered
}

func stepOf(op cloud.Operation) step {
	switch {
	case op.Field == cloud.FieldOwnershipTags:
		return stepOwnershipTag
	case op.Verb == cloud.Update:
		return effectOf(op)
	}
	return steps[op.Verb][op.Kind]
}

// effectOf says whether an update lets more clients in or fewer:
//
//	field      opens when           closes when          both
//	allow      becomes a superset   becomes a subset     stepChange
//	deny       becomes a subset     becomes a superset   stepChange
//	dualStack  true                 false
//	scope      external             internal
//	others                                               stepChange
//
// An empty allow list lets everyone in.
func effectOf(op cloud.Operation) step {
	opens, closes := false, false
	if op.Kind == cloud.KindBalancer {
		switch op.Field {
		case cloud.FieldAllow:
			opens, closes = admits(op.After, op.Before), admits(op.Before, op.After)
		case cloud.FieldDeny:
			opens, closes = holds(op.Before, op.After), holds(op.After, op.Before)
		case cloud.FieldDualStack:
			opens, closes = op.After == "true", op.After != "true"
		case cloud.FieldScope:
			opens, closes = op.After == string(cloud.ScopeExternal), op.After == string(cloud.ScopeInternal)
		}
	}
	switch {
	case opens:
		return stepOpen
	case closes:
		return stepClose
	}
	return stepChange
}

// admits reports whether the allow list a lets in everyone that b does.
func admits(a, b string) bool { return a == "" || b != "" && holds(a, b) }

// holds reports whether every item of b is in a.
func holds(a, b string) bool {
	items := strings.Split(a, ",")
	return b == "" || !slices.ContainsFunc(strings.Split(b, ","), func(item string) bool { return !slices.Contains(items, item) })
}
