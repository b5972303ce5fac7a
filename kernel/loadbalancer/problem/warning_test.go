package problem

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

func TestMerge(t *testing.T) {
	got := Merge([]Warning{
		Warn(event.TargetSkipped, "a"), Warn(event.ConfigurationIgnored, "b"), Warn(event.TargetSkipped, "c"), Warn(event.TargetSkipped, "a"),
	})
	want := []Warning{Warn(event.TargetSkipped, "a; c"), Warn(event.ConfigurationIgnored, "b")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merge() (-want +got):\n%s", diff)
	}
}

func TestMergeKeepsEventsWhole(t *testing.T) {
	long, longer := strings.Repeat("a", 600), strings.Repeat("b", 600)
	got := Merge([]Warning{Warn(event.TargetSkipped, long), Warn(event.TargetSkipped, longer), Warn(event.TargetSkipped, "c"), Warn(event.TargetSkipped, long)})
	want := []Warning{Warn(event.TargetSkipped, long), Warn(event.TargetSkipped, longer+"; c")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merge() (-want +got):\n%s", diff)
	}
}

func TestNoteReasons(t *testing.T) {
	got := OfDriver([]cloud.Warning{
		{Field: "f", Message: "m"},
		{Field: "f", Message: "m", Reason: event.ImmutableChange.Name},
		{Field: "f", Message: "m", Reason: event.BrakeEngaged.Name},
		{Field: "f", Message: "m", Reason: "Whatever"},
	})
	want := []Warning{Warn(event.ConfigurationIgnored, "f: m"), Warn(event.ImmutableChange, "f: m"), Warn(event.ConfigurationIgnored, "f: m"), Warn(event.ConfigurationIgnored, "f: m")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ofNotes() (-want +got):\n%s", diff)
	}
}

func TestUnjoin(t *testing.T) {
	one := &cloud.Invalid{Field: "a", Value: "1", Want: "x"}
	two := &cloud.Invalid{Field: "b", Value: "2", Want: "y"}
	odd := errors.New("odd")
	refused := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureInvalid}, Op: "op", Err: odd}
	err := &cloud.Error{Op: "normalizing", Err: fmt.Errorf("both: %w", errors.Join(one, errors.Join(two, odd), refused))}
	want := []Warning{Of(event.InvalidConfiguration, one), Of(event.InvalidConfiguration, two), Of(event.CloudFailure, odd), Of(event.InvalidConfiguration, refused)}
	if diff := cmp.Diff(want, Unjoin(err), cmpopts.EquateErrors()); diff != "" {
		t.Errorf("unjoin() (-want +got):\n%s", diff)
	}
}
