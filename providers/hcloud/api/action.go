package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Actions follows what goes on after the API has answered.
type Actions struct{ API *hcloud.Client }

var _ cloud.Operations = Actions{}

// Running returns the ids of those actions that go on, and the error of the first that has failed.
func Running(actions ...*hcloud.Action) (ids []string, err error) {
	for _, action := range actions {
		switch {
		case action == nil:
			return nil, fmt.Errorf("reading the action: %w", cloud.ErrIncomplete)
		case action.Status == hcloud.ActionStatusError:
			return nil, failedAction(action)
		case action.Status == hcloud.ActionStatusRunning:
			ids = append(ids, strconv.FormatInt(action.ID, 10))
		}
	}
	return ids, nil
}

// Goes returns the error of a write whose actions go on or have failed, nil when all are done.
func Goes(actions ...*hcloud.Action) error {
	ids, err := Running(actions...)
	if err != nil {
		return err
	}
	return cloud.GoesOn(ids...)
}

// failedAction leaves out the id, which the client's own error has in its text: the same failure has the same text.
func failedAction(action *hcloud.Action) error {
	if failed, ok := errors.AsType[hcloud.ActionError](action.Error()); ok && action.ErrorCode != "" {
		return hcloud.ActionError{Code: failed.Code, Message: failed.Message}
	}
	return hcloud.ActionError{Code: string(hcloud.ErrorCodeUnknownError), Message: "the action " + action.Command + " failed"}
}

// OperationStates implements cloud.Operations: a page of actions is one request.
func (a Actions) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states := make(map[string]cloud.OperationState, len(ids))
	for chunk := range slices.Chunk(ids, MaxPage) {
		opts := hcloud.ActionListOpts{ListOpts: hcloud.ListOpts{Page: 1, PerPage: MaxPage}}
		for _, id := range chunk {
			if number, err := strconv.ParseInt(id, 10, 64); err == nil { // else there is none
				opts.ID = append(opts.ID, number)
			}
		}
		if len(opts.ID) == 0 {
			continue // it would be asked for all
		}
		actions, response, err := a.API.Action.List(ctx, opts)
		if err != nil {
			return nil, Failed("reading actions", err)
		}
		if response.Meta.Pagination == nil {
			return nil, fmt.Errorf("reading actions: %w", cloud.ErrIncomplete)
		}
		for _, action := range actions {
			_, err := Running(action)
			states[strconv.FormatInt(action.ID, 10)] = cloud.OperationState{Running: action.Status == hcloud.ActionStatusRunning, Err: err}
		}
	}
	return states, nil
}
