package halt_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

func TestTriggerFiresOnce(t *testing.T) {
	fired := 0
	hook, err := halt.Trigger{
		N: 2, Mutating: true, Phase: halt.After, Action: halt.Hang, Fired: func(halt.Event) { fired++ },
	}.Hook()
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		event halt.Event
		want  halt.Action
	}{
		{halt.Event{N: 2, Phase: halt.After}, halt.Continue},
		{halt.Event{N: 3, Mutation: 2, Phase: halt.Before}, halt.Continue},
		{halt.Event{N: 3, Mutation: 2, Phase: halt.After}, halt.Hang},
		{halt.Event{N: 3, Mutation: 2, Phase: halt.After}, halt.Continue},
	} {
		if got := hook(test.event); got != test.want {
			t.Errorf("event %d: %q, want %q", i, got, test.want)
		}
	}
	if fired != 1 {
		t.Errorf("fired %d times", fired)
	}
}

func TestFreezeDropsTheRest(t *testing.T) {
	hook, err := halt.Trigger{N: 1, Phase: halt.Before, Action: halt.Drop, Freeze: true}.Hook()
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 4; n++ {
		if got := hook(halt.Event{N: n, Phase: halt.Before}); got != halt.Drop {
			t.Errorf("request %d: %q", n, got)
		}
	}
}

func TestTriggerRefusesNonsense(t *testing.T) {
	for _, trigger := range []halt.Trigger{
		{N: 0, Phase: halt.Before}, {N: 1, Phase: "during"}, {N: 1, Phase: halt.After, Action: "explode"},
	} {
		if _, err := trigger.Hook(); err == nil {
			t.Errorf("%+v was accepted", trigger)
		}
	}
}
