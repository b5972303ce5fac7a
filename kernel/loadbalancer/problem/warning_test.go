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

func TestTold(t *testing.T) {
	got := Told([]Warning{
		Warn(event.TargetSkipped, "a"), Warn(event.ConfigurationIgnored, "b"), Warn(event.TargetSkipped, "c"), Warn(event.TargetSkipped, "a"),
	}, "shop", "web")
	want := []Warning{Warn(event.TargetSkipped, "a; c"), Warn(event.ConfigurationIgnored, "b")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Told() (-want +got):\n%s", diff)
	}
}

// However many problems of whatever length there are, there is one event for each reason, and each is at most 1 kB long.
func TestEventsAreShort(t *testing.T) {
	namespace, name := strings.Repeat("n", 63), strings.Repeat("s", 63)
	for _, length := range []int{1, 50, 300, 790, 100_000} {
		for _, parts := range []int{1, 2, 3, 100} {
			var all []Warning
			for i := range parts {
				all = append(all, Warn(event.InvalidConfiguration, strings.Repeat(string(rune('ä'+i)), length)), Warn(event.TargetSkipped, "short"))
			}
			told := Told(all, namespace, name)
			if len(told) != 2 || told[1].Message != "short" {
				t.Fatalf("%d parts of %d: %d events, want one for each reason", parts, length, len(told))
			}
			message := told[0].Message
			said := 1 + strings.Count(message, "; ") - strings.Count(message, "; and ")
			command := strings.HasSuffix(message, fmt.Sprintf(": cloud-controller-manager explain service %s/%s", namespace, name))
			counted := strings.Contains(message, fmt.Sprintf("; and %d more: ", parts-said))
			if len(message) > event.MostOfMessage || counted != (said < parts) || command != (said < parts || length > mostOfPart) {
				t.Errorf("%d parts of %d: %d bytes, ends with %q", parts, length, len(message), message[max(0, len(message)-200):])
			}
		}
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
