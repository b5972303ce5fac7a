package loadbalancer

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// countingDriver notes the priority of each call that reads or writes, and refuses a health port of its own without a reading.
type countingDriver struct {
	*fakeDriver
	reads, writes []cloud.Priority
	tenants       []string
	// refuses is what the cloud would refuse, as it says when it is asked before a creation.
	refuses func(cloud.Input) error
	checks  int
	// first is what Normalize refuses before anything else.
	first error
}

func (d *countingDriver) Check(_ context.Context, in cloud.Input, _ cloud.Observed) error {
	if d.refuses == nil {
		return nil
	}
	d.checks++
	return d.refuses(in)
}

func (d *countingDriver) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	d.reads, d.tenants = append(d.reads, cloud.PriorityOf(ctx)), append(d.tenants, cloud.TenantOf(ctx))
	return d.fakeDriver.Observe(ctx, in)
}

func (d *countingDriver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	d.writes = append(d.writes, cloud.PriorityOf(ctx))
	return d.fakeDriver.Apply(ctx, change)
}

func (d *countingDriver) Validate(spec cloud.Spec, _ bool) error {
	if spec.LoadBalancerIP != "" {
		return &cloud.Invalid{Field: keyTier.Name, Value: spec.LoadBalancerIP, Want: "want none"}
	}
	return nil
}

func (d *countingDriver) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	if d.first != nil {
		return cloud.Balancer{}, nil, d.first
	}
	if err := d.Validate(in.Spec, false); err != nil {
		return cloud.Balancer{}, nil, err
	}
	return d.fakeDriver.Normalize(in)
}

// took returns what was read and written since the last call.
func (d *countingDriver) took() (reads, writes []cloud.Priority) {
	reads, writes = d.reads, d.writes
	d.reads, d.writes = nil, nil
	return reads, writes
}

func newCountingFixture(t *testing.T, edits ...func(*corev1.Service)) (*fixture, *countingDriver) {
	t.Helper()
	f := newFixture(t, edits...)
	d := &countingDriver{fakeDriver: f.driver}
	f.wrapped = d
	f.restart()
	return f, d
}

// A Service without a balancer is read once for all that is wrong with it, and not when it is tried again.
func TestAllProblemsAreSaidAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d := newCountingFixture(t, annotated(keyAlgorithm.Name, "best"))
		d.refuses = func(in cloud.Input) error {
			var errs []error
			if in.LoadBalancerIP != "10.0.0.9" {
				errs = append(errs, &cloud.Invalid{Field: keyProxy.Name, Value: "z9", Want: "there is no such proxy"})
			}
			return errors.Join(append(errs, &cloud.Invalid{Field: keyAlgorithm.Name, Value: "", Want: "it follows from the first"}, errors.New("odd"))...)
		}
		f.svc.Spec.Ports[0].NodePort = 0
		step := func(what string, reads, checks int, says ...string) {
			t.Helper()
			d.checks = 0
			err := f.ensure()
			fails(t, err, says...)
			if strings.Contains(err.Error(), "it follows") || strings.Contains(err.Error(), "odd") {
				t.Errorf("%s: %v; want one problem for each field, and only what its user can mend", what, err)
			}
			f.said("InvalidConfiguration: ")
			if got, writes := d.took(); len(got) != reads || d.checks != checks || len(writes) > 0 {
				t.Errorf("%s: %d reads, asked %d times, %d writes; want %d, %d and none", what, len(got), d.checks, len(writes), reads, checks)
			}
		}
		step("the first try", 1, 0, keyAlgorithm.Name, "nodePort")
		step("the second try", 0, 0, keyAlgorithm.Name, "nodePort")
		f.svc.Spec.Ports[0].NodePort = 30080
		step("it is changed", 1, 1, keyAlgorithm.Name, "there is no such proxy")
		time.Sleep(time.Minute)
		step("a minute later", 0, 0, keyAlgorithm.Name, "there is no such proxy")
		f.Compare(f.svc)
		step("a comparison", 0, 0, keyAlgorithm.Name, "there is no such proxy")
		time.Sleep(11 * time.Minute)
		step("later: the proxy may be there now", 1, 1, keyAlgorithm.Name, "there is no such proxy")
		f.nodes = f.nodes[:2]
		step("the nodes change", 1, 1, keyAlgorithm.Name, "there is no such proxy")
		delete(f.svc.Annotations, keyAlgorithm.Name)
		d.refuses = func(cloud.Input) error {
			return &cloud.Invalid{Field: keyProxy.Name, Value: "z9", Want: "there is no such proxy"}
		}
		step("one problem is left, which the cloud knows", 1, 1, "there is no such proxy")
		step("tried at once", 0, 0, "there is no such proxy")
		time.Sleep(time.Minute)
		step("tried later: it may be there now", 1, 1, "there is no such proxy")
		d.refuses = nil
		time.Sleep(time.Minute)
		f.settle()
		f.wrote("create balancer")
	})
}

// What cannot be read does not hide what is known to be wrong.
func TestProblemsAreSaidWhereNothingIsRead(t *testing.T) {
	f, _ := newCountingFixture(t, annotated(keyAlgorithm.Name, "best"))
	f.driver.fail = func(string, bool) error { return errBroken }
	for range 2 {
		fails(t, f.ensure(), keyAlgorithm.Name)
	}
}

// What the driver finds wrong without a reading is said beside what a reading shows, also where Normalize ends at the first.
func TestWhatNeedsNoReadingIsSaidToo(t *testing.T) {
	f, d := newCountingFixture(t, func(svc *corev1.Service) { svc.Spec.LoadBalancerIP = "10.0.0.1" })
	d.first = &cloud.Invalid{Field: keyProxy.Name, Value: "z9", Want: "there is no such proxy"}
	for range 2 {
		fails(t, f.ensure(), keyTier.Name, "there is no such proxy")
	}
	if reads, _ := d.took(); len(reads) != 1 {
		t.Errorf("%d reads, want one", len(reads))
	}
}

// What was looked up for a Service with a balancer is said again when it is tried again, without another look. It is not said for
// another request, for which nothing is looked up.
func TestAllProblemsAreSaidAgain(t *testing.T) {
	f, d := newCountingFixture(t)
	f.settle()
	f.wrote("create balancer")
	d.first = &cloud.Invalid{Field: keyProxy.Name, Value: "z9", Want: "there is no such proxy"}
	f.svc.Annotations[keyAlgorithm.Name] = "best"
	for try, reads := range []int{1, 0, 0} {
		f.events.take()
		d.took()
		fails(t, f.ensure(), keyAlgorithm.Name, "there is no such proxy")
		if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, keyAlgorithm.Name) || !strings.Contains(said, "there is no such proxy") {
			t.Errorf("try %d: events %s", try, said)
		}
		if got, _ := d.took(); len(got) != reads {
			t.Errorf("try %d: %d reads, want %d", try, len(got), reads)
		}
	}
	f.nodes = append(f.nodes, node("odd"))
	f.nodes[len(f.nodes)-1].Spec.ProviderID = "aws:///x/i-1"
	f.events.take()
	fails(t, f.ensure(), "there is no such proxy")
	f.said("InvalidConfiguration: ", "TargetSkipped: odd")
	f.svc.Annotations[keyAlgorithm.Name] = "better"
	if err := f.ensure(); err == nil || strings.Contains(err.Error(), "proxy") {
		t.Errorf("another request: %v, want what is known without a look", err)
	}
}

// What was looked up is not said for longer than some minutes: somebody may have mended it in the cloud.
func TestProblemsThatWereLookedUpGetOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d := newCountingFixture(t)
		f.settle()
		d.first = &cloud.Invalid{Field: keyProxy.Name, Value: "z9", Want: "there is no such proxy"}
		f.svc.Annotations[keyAlgorithm.Name] = "best"
		fails(t, f.ensure(), keyAlgorithm.Name, "there is no such proxy")
		d.first = nil
		time.Sleep(impossibleAge + time.Second)
		d.took()
		if err := f.ensure(); err == nil || strings.Contains(err.Error(), "proxy") || !strings.Contains(err.Error(), keyAlgorithm.Name) {
			t.Errorf("later: %v, want what is known without a look", err)
		}
		if reads, _ := d.took(); len(reads) > 0 {
			t.Errorf("%d reads, want none", len(reads))
		}
	})
}

// A question that the cloud did not answer is asked again.
func TestUnansweredQuestionIsAskedAgain(t *testing.T) {
	f, d := newCountingFixture(t, annotated(keyAlgorithm.Name, "best"))
	d.refuses = func(cloud.Input) error { return errBroken }
	fails(t, f.ensure(), keyAlgorithm.Name)
	d.refuses = func(cloud.Input) error {
		return &cloud.Invalid{Field: keyProxy.Name, Value: "z9", Want: "there is no such proxy"}
	}
	for range 2 {
		fails(t, f.ensure(), keyAlgorithm.Name, "there is no such proxy")
	}
	if d.checks != 2 {
		t.Errorf("asked %d times, want 2", d.checks)
	}
}

// However many Services ask for something impossible, few of them are read.
func TestMostOfTheImpossibleIsRefusedUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, edit := range map[string]func(*corev1.Service){
			"an annotation":          annotated(keyAlgorithm.Name, "best"),
			"a selector":             annotated(annotation.NodeSelector.Name, "a in"),
			"what the driver judges": func(svc *corev1.Service) { svc.Spec.LoadBalancerIP = "10.0.0.1" },
		} {
			f, d := newCountingFixture(t, edit)
			began := time.Now()
			for i := range 100 {
				f.svc.UID = types.UID(strconv.Itoa(i))
				if err := f.ensure(); !cloud.IsClass(err, cloud.FailureInvalid) {
					t.Errorf("%s: error %v, want one about what is invalid", name, err)
				}
				f.said("InvalidConfiguration: ")
				time.Sleep(time.Second)
			}
			most := mostLookups + int(time.Since(began)/lookupsEvery)
			if reads, writes := d.took(); len(reads) > most || len(writes) > 0 {
				t.Errorf("%s: %d reads and %d writes, want at most %d and none", name, len(reads), len(writes), most)
			}
		}
	})
}

// A balancer whose Service asks for something impossible is read when the nodes change and when it is compared, not for each try.
func TestRefusedIsReadForItsTargetsOnly(t *testing.T) {
	refusedForItsTargetsOnly(t, keyAlgorithm.Name, func(svc *corev1.Service, value string) {
		if svc.Annotations[keyAlgorithm.Name] = value; value == "" {
			delete(svc.Annotations, keyAlgorithm.Name)
		}
	})
}

// What the driver finds wrong without a reading costs none either.
func TestRefusedByTheDriverIsReadForItsTargetsOnly(t *testing.T) {
	refusedForItsTargetsOnly(t, keyTier.Name, func(svc *corev1.Service, value string) { svc.Spec.LoadBalancerIP = value })
}

// refusedForItsTargetsOnly asks for something impossible with each value but "".
func refusedForItsTargetsOnly(t *testing.T, field string, ask func(svc *corev1.Service, value string)) {
	synctest.Test(t, func(t *testing.T) {
		f, d := newCountingFixture(t)
		f.settle()
		f.wrote("create balancer")
		f.events.take()
		step := func(what string, reads int, writes ...string) {
			t.Helper()
			d.took()
			fails(t, f.ensure(), field)
			f.said("InvalidConfiguration: ")
			if got, _ := d.took(); len(got) != reads {
				t.Errorf("%s: %d reads, want %d", what, len(got), reads)
			}
			f.wrote(writes...)
		}
		ask(f.svc, "best")
		step("the first try", 1)
		step("the second try", 0)
		ask(f.svc, "better")
		step("another impossible value", 0)
		f.nodes = f.nodes[:2]
		step("a node goes", 1, "delete target c")
		step("the try after that", 0)
		f.svc.Annotations[annotation.NodeSelector.Name] = "name=a"
		step("another selector", 1, "delete target b")
		f.Compare(f.svc)
		step("a comparison", 1)
		step("the try after that", 0)
		f.restart()
		step("another process", 1)
		ask(f.svc, "")
		if err := f.ensure(); err != nil {
			t.Errorf("what is possible again: %v", err)
		}
	})
}

// What is done for a Service says how urgent it is, and for which namespace.
func TestPurposes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d := newCountingFixture(t)
		f.driver.busy = 3
		step := func(what string, run func() error, want cloud.Priority, writes ...cloud.Priority) {
			t.Helper()
			_ = run()
			reads, wrote := d.took()
			if len(reads) == 0 || slices.ContainsFunc(reads, func(p cloud.Priority) bool { return p != want }) || !slices.Equal(wrote, writes) {
				t.Errorf("%s: read with %v and wrote with %v, want %v and %v", what, reads, wrote, want, writes)
			}
		}
		step("a new Service", f.ensure, cloud.PriorityCreation, cloud.PriorityCreation)
		step("the look at it", f.ensure, cloud.PriorityBegun)
		f.settle()
		d.took()
		step("nothing new", f.ensure, cloud.PriorityChange)
		f.Compare(f.svc)
		step("a comparison", f.ensure, cloud.PriorityRefresh)
		f.Compare(f.svc)
		step("the nodes while a comparison is due", func() error { return f.UpdateTargets(t.Context(), f.svc, f.nodes) }, cloud.PriorityChange)
		f.nodes = f.nodes[:2]
		step("a comparison that finds a difference", f.ensure, cloud.PriorityRefresh, cloud.PriorityChange)
		f.nodes = f.nodes[:1]
		step("a node goes", func() error { return f.UpdateTargets(t.Context(), f.svc, f.nodes) }, cloud.PriorityChange, cloud.PriorityChange)
		f.svc.Spec.Type = corev1.ServiceTypeClusterIP
		step("the Service is asked about", func() error { _, err := f.Holds(t.Context(), f.svc); return err }, cloud.PriorityDeletion)
		step("the Service gives it up", func() error { return f.Delete(t.Context(), f.svc) }, cloud.PriorityDeletion, cloud.PriorityDeletion)
		if slices.ContainsFunc(d.tenants, func(tenant string) bool { return tenant != f.svc.Namespace }) {
			t.Errorf("made for %v, want %s", d.tenants, f.svc.Namespace)
		}
	})
}
