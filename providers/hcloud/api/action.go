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

// Goes returns the error of a write whose action goes on or has failed, nil when it is done.
func Goes(action *hcloud.Action) error {
	if action != nil && action.ID != 0 {
		switch action.Status {
		case hcloud.ActionStatusError:
			return failedAction(action)
		case hcloud.ActionStatusRunning:
			return cloud.GoesOn(strconv.FormatInt(action.ID, 10))
		case hcloud.ActionStatusSuccess:
			return nil
		}
	}
	return fmt.Errorf("reading the action: %w", cloud.ErrIncomplete)
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
			state := cloud.OperationState{Running: action.Status == hcloud.ActionStatusRunning}
			if !state.Running {
				state.Err = Goes(action)
			}
			states[strconv.FormatInt(action.ID, 10)] = state
		}
	}
	return states, nil
}
