package cloud

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// ErrIncomplete is an answer that is well-formed but not what the API answers: the object or the list
// that was asked for is missing from it.
var ErrIncomplete = errors.New("the answer of the API lacks what was asked for")

// OtherFailure is the end of every Classify: what is the same for every SDK. A driver asks it about
// errors that are no refusals of its API.
func OtherFailure(err error) Failure {
	if failure := FailureOf(err); failure.Class != FailureUnknown {
		return failure
	}
	if NoAnswer(err) || NoSense(err) {
		return Failure{Class: FailureTransient}
	}
	return Failure{Class: FailureUnknown}
}

// statusClasses are the classes of statuses that say enough by themselves.
var statusClasses = map[int]Class{
	http.StatusBadRequest:          FailureInvalid,
	http.StatusUnprocessableEntity: FailureInvalid,
	http.StatusUnauthorized:        FailureUnauthorized,
	http.StatusForbidden:           FailureUnauthorized,
	http.StatusConflict:            FailureConflict,
	http.StatusPreconditionFailed:  FailureConflict,
	http.StatusLocked:              FailureConflict,
	http.StatusTooManyRequests:     FailureThrottled,
	http.StatusRequestTimeout:      FailureTransient,
}

// ClassOfStatus sorts an error status of which nothing else is known. A 404 is unknown: a proxy and a
// wrong endpoint answer it too, and prove nothing. Where the API itself says that an object is not
// there, the driver says FailureNotFound.
func ClassOfStatus(status int) Class {
	if class, ok := statusClasses[status]; ok {
		return class
	}
	if status >= http.StatusInternalServerError {
		return FailureTransient
	}
	return FailureUnknown
}

// ClassOfStranger sorts an error status of an answer that is not the API's, such as that of a proxy: only that it may
// pass is believed, and nothing that it says about what was asked for.
func ClassOfStranger(status int) Class {
	switch class := ClassOfStatus(status); class {
	case FailureThrottled, FailureTransient:
		return class
	default:
		return FailureUnreadable
	}
}

// Refusal is the failure of an error status: its class, and how long to wait where that is a matter of
// time.
func Refusal(class Class, header http.Header) Failure {
	failure := Failure{Class: class}
	if class == FailureThrottled || class == FailureTransient {
		failure.RetryAfter = RetryAfter(header, time.Now())
	}
	return failure
}

// longestWait bounds what a cloud can ask for: the window of hourly limits.
const longestWait = time.Hour

// RetryAfter reads how long a cloud asks us to wait: Retry-After, else the time at which a limit that
// is used up is filled again. 0 means that it did not say.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	if wait, ok := ParseWait(header.Get("Retry-After"), now); ok {
		return wait
	}
	reset, err := strconv.ParseInt(header.Get("RateLimit-Reset"), 10, 64)
	if err != nil || header.Get("RateLimit-Remaining") != "0" {
		return 0
	}
	return bounded(time.Unix(reset, 0).Sub(now))
}

// ParseWait reads how long to wait, at most an hour: seconds, or a date in the form of HTTP or of
// RFC 3339.
func ParseWait(text string, now time.Time) (wait time.Duration, ok bool) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		if !(seconds >= 0) { // not a number neither
			return 0, false
		}
		return time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second)), true
	}
	for _, parse := range []func(string) (time.Time, error){http.ParseTime, parseRFC3339} {
		if at, err := parse(text); err == nil {
			return bounded(at.Sub(now)), true
		}
	}
	return 0, false
}

func parseRFC3339(text string) (time.Time, error) { return time.Parse(time.RFC3339, text) }

func bounded(wait time.Duration) time.Duration { return min(max(0, wait), longestWait) }
