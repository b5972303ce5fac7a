package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	for name, test := range map[string]struct {
		after, reset, remaining string
		want                    time.Duration
	}{
		"nothing":                {},
		"seconds":                {after: "30", want: 30 * time.Second},
		"a part of a second":     {after: "7.5", want: 7500 * time.Millisecond},
		"zero":                   {after: "0", reset: "1800000090", remaining: "0"},
		"negative":               {after: "-1"},
		"huge":                   {after: "999999999", want: time.Hour},
		"more than fits":         {after: strings.Repeat("9", 400), want: time.Hour},
		"not a number":           {after: "NaN"},
		"infinite":               {after: "Inf", want: time.Hour},
		"nonsense":               {after: "soon"},
		"date":                   {after: now.Add(time.Minute).Format(http.TimeFormat), want: time.Minute},
		"date in the past":       {after: now.Add(-time.Minute).Format(http.TimeFormat)},
		"date in a year":         {after: now.AddDate(1, 0, 0).Format(http.TimeFormat), want: time.Hour},
		"date of RFC 3339":       {after: now.Add(time.Minute).Format(time.RFC3339), want: time.Minute},
		"used up":                {reset: "1800000090", remaining: "0", want: 90 * time.Second},
		"used up, reset far":     {reset: "1900000000", remaining: "0", want: time.Hour},
		"not used up":            {reset: "1800000090", remaining: "5"},
		"reset passed":           {reset: "1799999990", remaining: "0"},
		"seconds before a reset": {after: "3", reset: "1800000090", remaining: "0", want: 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			for key, value := range map[string]string{"Retry-After": test.after, "RateLimit-Reset": test.reset, "RateLimit-Remaining": test.remaining} {
				if value != "" {
					header.Set(key, value)
				}
			}
			if got := RetryAfter(header, now); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func FuzzParseWait(f *testing.F) {
	for _, seed := range []string{"1", "1e400", "-0", "Sun, 06 Nov 1994 08:49:37 GMT", "2026-01-02T03:04:05Z", "0x1p-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if wait, ok := ParseWait(text, time.Unix(0, 0)); wait < 0 || wait > time.Hour || !ok && wait != 0 {
			t.Errorf("%q: %v, %t", text, wait, ok)
		}
	})
}

// Only what is a matter of time says how long to wait.
func TestRefusal(t *testing.T) {
	header := http.Header{"Retry-After": {"7"}}
	for status, want := range map[int]Failure{
		400: {Class: FailureInvalid}, 401: {Class: FailureUnauthorized}, 403: {Class: FailureUnauthorized}, 404: {Class: FailureUnknown},
		406: {Class: FailureUnknown}, 408: {FailureTransient, 7 * time.Second}, 409: {Class: FailureConflict}, 412: {Class: FailureConflict},
		422: {Class: FailureInvalid}, 423: {Class: FailureConflict}, 429: {FailureThrottled, 7 * time.Second}, 500: {FailureTransient, 7 * time.Second},
		503: {FailureTransient, 7 * time.Second}, 302: {Class: FailureUnknown}, 200: {Class: FailureUnknown}, 0: {Class: FailureUnknown},
	} {
		if got := Refusal(ClassOfStatus(status), header); got != want {
			t.Errorf("%d: %+v, want %+v", status, got, want)
		}
	}
	if got := Refusal(FailureThrottled, nil); got.RetryAfter != 0 {
		t.Errorf("without a header: %+v", got)
	}
}

func TestOtherFailure(t *testing.T) {
	for want, all := range map[Class][]error{
		FailureTransient:  {fmt.Errorf("x: %w", ErrIncomplete), context.DeadlineExceeded},
		FailureInvalid:    {fmt.Errorf("x: %w", &Invalid{})},
		FailureUnreadable: {fmt.Errorf("x: %w", &Unreadable{})},
		FailureUnknown:    {errors.New("what"), nil},
	} {
		for _, err := range all {
			if got := OtherFailure(err).Class; got != want {
				t.Errorf("%v: %s, want %s", err, got, want)
			}
		}
	}
}

func TestUIDName(t *testing.T) {
	for uid, want := range map[string]string{
		"12345678-1234-1234-1234-123456789abc": "a12345678123412341234123456789ab", "": "a", "u-1": "au1",
	} {
		if got := UIDName(uid); got != want {
			t.Errorf("%q: %q, want %q", uid, got, want)
		}
	}
}
