package run

import (
	"context"
	"errors"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// failedOperations is a cloud of which every operation fails in the same way.
type failedOperations struct{}

func (failedOperations) OperationStates(_ context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		states[id] = cloud.OperationState{Err: errors.New("no space")}
	}
	return states, nil
}

// The same failure of two operations has the same text: each text is an event of its own.
func TestFailedOperations(t *testing.T) {
	c := &caller{classify: func(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureQuota} }, metrics: metric.Discard{}}
	states, err := (&operations{caller: c, next: failedOperations{}}).OperationStates(t.Context(), []string{"1", "2"})
	if err != nil {
		t.Fatal(err)
	}
	first, second := states["1"].Err, states["2"].Err
	if first == nil || second == nil || first.Error() != second.Error() || !cloud.IsClass(first, cloud.FailureQuota) {
		t.Errorf("%v and %v", first, second)
	}
}
