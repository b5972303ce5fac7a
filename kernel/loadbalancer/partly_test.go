package loadbalancer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// A part that the cloud has put back as it was is not asked for again by the same request.
func TestPartThatWasPutBackIsToldForTheSameRequest(t *testing.T) {
	f := newFixture(t)
	f.settle()
	not := &cloud.NotReplaced{Resource: cloud.IDOf{Kind: "listener", Key: "80"}, Err: &cloud.Invalid{Field: "x", Value: "y", Want: "z"}}
	var told []*cloud.NotReplaced
	f.driver.refuse = func(change cloud.Change) error {
		told = append(told, change.NotReplaced)
		return not
	}
	f.svc.Annotations[keyProxy.Name] = "true"
	for range 2 {
		fails(t, f.ensure(), "it is put back as it was before")
	}
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	fails(t, f.ensure(), "it is put back as it was before")
	if !slices.Equal(told, []*cloud.NotReplaced{nil, not, nil}) {
		t.Errorf("the changes were told of %v; want it for the second one alone", told)
	}
}

// The cloud refuses a part of a change. The others go on when it is done with the last step, unless that would ask for what was refused
// once more.
func TestPartOfAChangeIsRefused(t *testing.T) {
	invalid := &cloud.Invalid{Field: "x", Value: "y", Want: "z"}
	for name, test := range map[string]struct {
		progress cloud.Progress
		err      error
		after    time.Duration
	}{
		"the others go on":            {cloud.Progress{Pending: true, GoesOn: true, After: 7 * time.Second}, invalid, 7 * time.Second},
		"it would be asked for again": {cloud.Progress{Pending: true, After: 7 * time.Second}, invalid, 0},
		"nothing else is left":        {cloud.Progress{GoesOn: true, After: 7 * time.Second}, invalid, 0},
		"the cloud says how long":     {cloud.Progress{Pending: true, GoesOn: true, After: 7 * time.Second}, errThrottled, 42 * time.Second},
	} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in a later step: %t", name, later), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d, f := settling(t)
					f.svc.Annotations[keyProxy.Name] = "true"
					if later {
						f.step()
					}
					d.refuses, d.progress = test.err, test.progress
					err, looks := f.ensure(), d.looked
					if !errors.Is(err, test.err) || later && looks != 1 {
						t.Fatalf("%v after %d looks", err, looks)
					}
					if test.after > 0 {
						waits(t, err, test.after)
					} else if isPending(err) {
						t.Errorf("%v, want a failure", err)
					}
				})
			})
		}
	}
}

// step makes the first step of a change, and has the cloud done with it.
func (f *fixture) step() {
	f.t.Helper()
	if err := f.ensure(); !isPending(err) {
		f.t.Fatalf("ensure: %v, want a change that goes on", err)
	}
	time.Sleep(5 * time.Second)
}

// A machine that is refused in a later step of a change is left out, and the others go on without it soon.
func TestTargetThatALaterStepIsRefusedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := settling(t)
		f.nodes = append(f.nodes, node("d"), node("e"))
		f.step()
		d.refuses = &cloud.TargetsRefused{Named: []cloud.InstanceID{"d"}, Text: "it is odd", Err: &cloud.Invalid{}}
		waits(t, f.ensure(), refused.TrialPause)
		d.left = map[string]int{}
		f.brought()
		if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "b", "c", "e"}) {
			t.Errorf("targets %v", got)
		}
	})
}

// A change of which the cloud refuses something for good does not keep nodes from the targets: they follow in the same run. Where some of them are
// refused, the others are asked for soon.
func TestTargetsFollowARefusedChange(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.driver.refuse = func(change cloud.Change) error {
		switch words := inWords(change); {
		case strings.Contains(words, "listener"):
			return &cloud.Invalid{Field: "port", Value: "81", Want: "another one"}
		case strings.Contains(words, "create target e"):
			return &cloud.TargetsRefused{Asked: []cloud.InstanceID{"e"}, Err: &cloud.Invalid{Field: "target", Value: "e", Want: "another one"}}
		}
		return nil
	}
	f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Port: 81, NodePort: 30081, Protocol: corev1.ProtocolTCP})
	f.nodes = append(f.nodes[1:], node("d"))
	fails(t, f.ensure(), "81")
	f.wrote("create target d; delete target a")
	f.nodes = append(f.nodes, node("e"))
	if _, waits := errors.AsType[*Pending](f.ensure()); !waits {
		t.Error("nobody asks again for the targets that are not refused")
	}
}

// What a change has done before something of it was refused is not done again: the balancer is looked at before its targets are decided.
func TestTargetsOfARefusedChangeAreNotMadeTwice(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.driver.refuse = func(change cloud.Change) error {
		if !strings.Contains(inWords(change), "listener") {
			t.Errorf("written after the refusal: %s", inWords(change))
			return nil
		}
		f.driver.balancers[change.Before.ID].Targets = slices.Clone(change.After.Targets) // the rest of the change
		return &cloud.Invalid{Field: "port", Value: "81", Want: "another one"}
	}
	f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Port: 81, NodePort: 30081, Protocol: corev1.ProtocolTCP})
	f.nodes = append(f.nodes[1:], node("d"))
	fails(t, f.ensure(), "81")
	f.wrote()
}

// Targets are not changed while what was done of a refused change goes on.
func TestTargetsWaitForWhatGoesOn(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d, f := settling(t)
			f.svc.Annotations[keyProxy.Name] = "true"
			f.nodes = append(f.nodes, node("d"))
			d.refuses = &cloud.Invalid{Field: "x", Value: "y", Want: "z"}
			if goesOn {
				d.progress = cloud.Progress{Pending: true, After: time.Second, Operations: slices.Sorted(maps.Keys(f.driver.balancers))}
			}
			fails(t, f.ensure(), "z")
			if (d.steps == 0) != goesOn {
				t.Errorf("operations go on: %t, and then %d steps", goesOn, d.steps)
			}
			time.Sleep(time.Minute) // they end
		})
	}
}

// After a refusal in a later step of a change the targets follow too.
func TestTargetsFollowARefusalInALaterStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := settling(t)
		f.svc.Annotations[keyProxy.Name] = "true"
		f.step()
		d.refuses, d.left = &cloud.Invalid{Field: "x", Value: "y", Want: "z"}, map[string]int{slices.Sorted(maps.Keys(f.driver.balancers))[0]: 1}
		before := d.steps
		f.only().Targets = f.only().Targets[1:]
		fails(t, f.ensure(), "z")
		if d.steps != before+1 {
			t.Errorf("%d steps after the refusal, want one that brings the targets", d.steps-before)
		}
		time.Sleep(time.Minute)
	})
}
