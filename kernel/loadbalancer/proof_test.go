package loadbalancer

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// The id is recorded as soon as the balancer is the Service's, although a later step fails.
func TestIDIsRecordedBeforeALaterStepFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.busy = 1
		waits(t, f.ensure(), 7e9)
		if id := f.svc.Annotations[keyID.Name]; id != "lb-1" {
			t.Errorf("id %q is recorded with the answer, want lb-1", id)
		}
		delete(f.svc.Annotations, keyID.Name)
		f.only().ProviderFields["algorithm"] = "random"
		f.driver.fail = func(call string, _ bool) error {
			if call == "apply" {
				return errBroken
			}
			return nil
		}
		if err := f.ensure(); !errors.Is(err, errBroken) {
			t.Fatalf("error %v", err)
		}
		if id := f.svc.Annotations[keyID.Name]; id != "lb-1" {
			t.Errorf("id %q is recorded, want lb-1", id)
		}
	})
}

// In a cloud without ownership tags the id is the only proof: a process that ends while the balancer
// is being made must not lose it.
func TestIDOfAnUntaggedBalancerIsRecordedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.busy = 3
		f.driver.keep = func(b *cloud.Balancer) { b.OwnershipTags = nil }
		waits(t, f.ensure(), 7e9)
		if id := f.svc.Annotations[keyID.Name]; id != "lb-1" {
			t.Errorf("id %q is recorded, want lb-1", id)
		}
		f.restart()
		waits(t, f.ensure(), problem.PollFirst)
		f.only()
		f.wrote("create balancer")
	})
}

// A Service that only shares another's balancer is not told that it has it.
func TestSharingIsNotAdoption(t *testing.T) {
	for shared, want := range map[bool]string{true: "this Service shares balancer lb-7 now", false: "balancer lb-7 is this Service's now"} {
		f := newFixture(t, annotated(keyID.Name, "lb-7"))
		f.place("lb-7", "theirs")
		f.driver.shared = shared
		if err := f.ensure(); err != nil {
			t.Fatal(err)
		}
		f.said(want)
	}
}
