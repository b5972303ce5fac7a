package api

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// classes are what the codes of the API mean, where their status does not say it, or the failure of an action has none.
var classes = map[hcloud.ErrorCode]cloud.Class{
	hcloud.ErrorCodeNotFound:              cloud.FailureNotFound,
	hcloud.ErrorCodeLocked:                cloud.FailureConflict,
	hcloud.ErrorCodeConflict:              cloud.FailureConflict,
	hcloud.ErrorCodeUniquenessError:       cloud.FailureConflict,
	hcloud.ErrorCodeResourceInUse:         cloud.FailureConflict,
	hcloud.ErrorCodeInvalidInput:          cloud.FailureInvalid,
	hcloud.ErrorCodeProtected:             cloud.FailureInvalid,
	hcloud.ErrorUnsupportedError:          cloud.FailureInvalid,
	hcloud.ErrorCodeResourceLimitExceeded: cloud.FailureQuota,
	hcloud.ErrorCodeResourceUnavailable:   cloud.FailureTransient,
	hcloud.ErrorCodeMaintenance:           cloud.FailureTransient,
	hcloud.ErrorCodeServiceError:          cloud.FailureTransient,
	hcloud.ErrorCodeServerError:           cloud.FailureTransient,
	hcloud.ErrorCodeUnknownError:          cloud.FailureTransient,
	hcloud.ErrorCodeTimeout:               cloud.FailureTransient,
}

// Classify says what an error of the API, or of one of its actions, means.
func Classify(err error) cloud.Failure {
	if refused, ok := errors.AsType[hcloud.Error](err); ok {
		return failure(refused)
	}
	if failed, ok := errors.AsType[hcloud.ActionError](err); ok {
		if class, known := classes[hcloud.ErrorCode(failed.Code)]; known {
			return cloud.Failure{Class: class}
		}
		return cloud.Failure{Class: cloud.FailureUnknown}
	}
	return cloud.OtherFailure(err)
}

func failure(refused hcloud.Error) cloud.Failure {
	class, known := classes[refused.Code]
	response := refused.Response()
	if response == nil {
		return cloud.Failure{Class: class}
	}
	if !known {
		class = cloud.ClassOfStatus(response.StatusCode)
	}
	f := cloud.Failure{Class: class}
	if class == cloud.FailureThrottled || class == cloud.FailureTransient {
		// RateLimit-Reset is when the whole hour is free again; a request is possible every second.
		f.RetryAfter, _ = cloud.ParseWait(response.Header.Get("Retry-After"), time.Now())
	}
	return f
}

// IsNotFound reports whether the API has no such object.
func IsNotFound(err error) bool {
	return err != nil && Classify(err).Class == cloud.FailureNotFound
}

// Absent is the error for what the client library says nothing of: the API definitely has no such object.
func Absent(doing string) error {
	return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureNotFound}, Op: doing, Err: errors.New("the token's project has none")}
}

// Failed returns the error of what was being done, with the fields that the API refuses, and without
// the number that each answer has of its own: the same failure has the same text.
func Failed(doing string, err error) error {
	if refused, ok := errors.AsType[hcloud.Error](err); ok {
		return &Refusal{doing: doing, refused: refused}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Refusal is a refusal of the API.
type Refusal struct {
	doing   string
	refused hcloud.Error
}

func (r *Refusal) Error() string {
	text := fmt.Sprintf("%s: %s (%s)", r.doing, r.refused.Message, r.refused.Code)
	details, ok := r.refused.Details.(hcloud.ErrorDetailsInvalidInput)
	if !ok {
		return text
	}
	for _, field := range details.Fields {
		text += fmt.Sprintf("; %s: %s", field.Name, strings.Join(field.Messages, ", "))
	}
	return text
}

func (r *Refusal) Unwrap() error { return r.refused }
