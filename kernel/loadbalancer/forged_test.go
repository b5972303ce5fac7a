package loadbalancer

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Whoever edits a Service does not learn from it which load balancers of others there are.
func TestForgedCreationTellsNothingOfOthers(t *testing.T) {
	var said []string
	for _, exists := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			if exists {
				f.place("lb-77", "bank", "cluster=other", "uid=other")
			}
			maps.Copy(f.svc.Annotations, creation.Record{At: time.Now(), ID: "lb-77"}.Annotation())
			f.restart()
			f.events.take()
			for range 4 {
				if err := f.ensure(); err != nil || f.again != 0 {
					t.Errorf("again in %v, %v", f.again, err)
				}
				time.Sleep(time.Minute + time.Second)
			}
			if got := strings.Join(f.events.take(), " "); got != "" {
				t.Errorf("there %t: said %s", exists, got)
			} else {
				said = append(said, got)
			}
		})
	}
	if len(said) != 2 || said[0] != said[1] {
		t.Errorf("the events differ: %q", said)
	}
}

// Where no annotation has an id, none that somebody writes is looked at, nor said.
func TestForgedCreationWithoutAnIDAnnotation(t *testing.T) {
	descriptor := fakeDescriptor
	descriptor.IDAnnotation = ""
	for name, id := range map[string]string{"a text": "anything at all", "an id": "lb-77"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.start(run.Live, descriptor)
			f.settle()
			maps.Copy(f.svc.Annotations, creation.Record{At: time.Now(), ID: id}.Annotation())
			if err := f.ensure(); err != nil || f.again != 0 || f.svc.Annotations[annotation.Duplicates.Name] != "" {
				t.Errorf("again in %v, %v, recorded %v", f.again, err, f.svc.Annotations)
			}
			f.said()
			f.blind()
			f.start(run.Live, descriptor)
			if err := f.ensure(); err != nil {
				t.Errorf("an absence is an error: %v", err)
			}
		})
	}
}

// What this process remembers of its creation counts, whatever is written on the Service.
func TestForgedCreationHidesNone(t *testing.T) {
	for name, forged := range map[string]creation.Record{
		"of the future": {At: time.Now().Add(100 * time.Hour), ID: "lb-7"},
		"without an id": {At: time.Now().Add(time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.settle()
				f.blind()
				maps.Copy(f.svc.Annotations, forged.Annotation())
				fails(t, f.ensure(), "does not show balancer lb-1")
				f.wrote("create balancer")
			})
		})
	}
}

// A second balancer that this process made, and that the cloud does not show, is looked for again. Nothing else is said of it.
func TestDuplicateThatIsNotShownYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		p, ctx, err := f.begin(t.Context(), f.svc, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer p.end()
		if ids := p.finder.unseen("lb-1"); ids != nil {
			t.Errorf("%v is a second balancer, beside itself", ids)
		}
		p.Memory.Creation = creation.Record{At: time.Now(), ID: "lb-2"}
		kept := f.driver.observed("lb-1")
		p.second.prune(ctx, kept, p.finder.unseen("lb-1"))
		f.events.take()
		time.Sleep(time.Minute)
		if again := p.second.prune(ctx, kept, nil); again != time.Minute {
			t.Errorf("it is looked at again in %v", again)
		}
		f.said("balancer lb-2 is left: the cloud does not show balancer lb-2, which it made at 2000-01-01T00:00:00Z")
	})
}

// A second balancer that is gone is fine, although the one that is kept was just made.
func TestDuplicateThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.pruned("lb-2")
		f.said("lb-2 carries this Service's ownership tags beside lb-1, which is kept", "lb-2 carries this Service's ownership tags beside lb-1, which is kept")
	})
}

// A second balancer that this process has made and deleted is not waited for.
func TestDeletedDuplicateIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		p, _, err := f.begin(t.Context(), f.svc, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Memory.Creation = creation.Record{At: time.Now(), ID: "lb-2"}
		maps.Copy(f.svc.Annotations, p.Memory.Creation.Annotation())
		p.end()
		f.place("lb-2", "web", ownershipTags...)
		f.settle()
		f.only()
		if made := creation.Of(f.svc); made == nil || made.ID != "" || f.svc.Annotations[keyID.Name] != "lb-1" {
			t.Errorf("recorded %v", f.svc.Annotations)
		}
		f.events.take()
		if err := f.ensure(); err != nil || f.again > 0 {
			t.Errorf("%v, the next look is in %v", err, f.again)
		}
		f.said()
	})
}
