package gce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/api/compute/v1"
	"google.golang.org/api/googleapi"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// operationFields are what is read of an operation.
const operationFields = "name,status,operationType,targetLink,httpErrorStatusCode,httpErrorMessage,error/errors(code,message)"

const (
	// listedFields are what is read of a list of operations, and kindOperations is what one calls itself.
	listedFields   = "kind,nextPageToken,items(" + operationFields + ")"
	kindOperations = "compute#operationList"
	// maxNames is how many operations are asked for at once: their names are in the URL.
	maxNames = 100
	// done is the status of an operation that has ended.
	done = "DONE"
)

// goesOn returns the error of a write: it goes on, or has failed, or nil.
func goesOn(doing string, operation *compute.Operation) error {
	if operation.Name == "" || operation.Status == "" {
		return fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
	}
	if operation.Status != done {
		return cloud.GoesOn(operation.Name)
	}
	return failureOf(operation)
}

// failureOf returns what an operation that has ended failed with, in the form of a refusal. Its name is left out: the
// same failure has the same text.
func failureOf(operation *compute.Operation) error {
	if operation.Error == nil && operation.HttpErrorStatusCode == 0 {
		return nil
	}
	refusal := &googleapi.Error{Code: int(operation.HttpErrorStatusCode), Message: operation.HttpErrorMessage}
	if operation.Error != nil && len(operation.Error.Errors) > 0 {
		first := operation.Error.Errors[0]
		refusal.Message, refusal.Errors = first.Message, []googleapi.ErrorItem{{Reason: first.Code, Message: first.Message}}
	}
	return refused(operation.OperationType+" of "+last(operation.TargetLink), refusal)
}

// OperationStates implements cloud.Operations. Several are one list. One that a list lacks is asked for by itself, like
// a single one: only that proves that it is forgotten.
func (r *routes) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	states := make(map[string]cloud.OperationState, len(ids))
	note := func(o *compute.Operation) {
		if o.Status != done {
			states[o.Name] = cloud.OperationState{Running: true}
		} else {
			states[o.Name] = cloud.OperationState{Err: failureOf(o)}
		}
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !resourceName.MatchString(id) })
	if len(ids) > 1 {
		for chunk := range slices.Chunk(ids, maxNames) {
			if err := r.listOperations(ctx, chunk, note); err != nil {
				return nil, err
			}
		}
	}
	for _, id := range ids {
		if _, known := states[id]; known {
			continue
		}
		const doing = "reading an operation"
		operation, err := r.api.GlobalOperations.Get(r.project, id).Fields(operationFields).Context(ctx).Do()
		answer, ok := errors.AsType[*googleapi.Error](err)
		switch {
		case ok && classOf(answer) == cloud.FailureNotFound:
		case err != nil:
			return nil, refused(doing, err)
		case operation.Name != id || operation.Status == "":
			return nil, fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
		default:
			note(operation)
		}
	}
	return states, nil
}

// listOperations reads the operations of these names.
func (r *routes) listOperations(ctx context.Context, names []string, note func(*compute.Operation)) error {
	const doing = "listing operations"
	call := r.api.GlobalOperations.List(r.project).MaxResults(maxPage).Filter(`name eq "` + strings.Join(names, "|") + `"`).Fields(listedFields)
	_, err := cloud.Pages(func(next string) ([]*compute.Operation, string, error) {
		if next != "" {
			call.PageToken(next)
		}
		page, err := call.Context(ctx).Do()
		if err != nil {
			return nil, "", refused(doing, err)
		}
		if page.Kind != kindOperations {
			return nil, "", fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
		}
		for _, operation := range page.Items {
			note(operation)
		}
		return append([]*compute.Operation{}, page.Items...), page.NextPageToken, nil
	})
	return err
}
