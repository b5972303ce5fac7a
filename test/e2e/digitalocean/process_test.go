package digitalocean_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// patience is how long a test waits for one thing; nothing takes a tenth of it on a machine
// that has nothing else to do.
const patience = 90 * time.Second

// within returns a context for one wait.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("not within %s", patience))
	t.Cleanup(cancel)
	return ctx
}

// quick are the flags of every CCM here: no limit on requests, and short windows.
var quick = []string{
	"--cloud-api-qps=2000", "--kube-api-qps=1000", "--kube-api-burst=2000",
	"--node-burst-window=100ms", "--concurrent-service-syncs=16",
}

// firewallEnv turns the firewall controller on. Its tag is one of the pool's droplets.
var firewallEnv = map[string]string{
	"PUBLIC_ACCESS_FIREWALL_NAME": firewallName,
	"PUBLIC_ACCESS_FIREWALL_TAGS": poolTag,
}

// runner is the CCM of one test.
type runner struct {
	t *testing.T
	*ccm.Process
}

// start starts a CCM for one test and waits until it serves. It, or the one that took its
// place, is stopped with the test. Start it before Services are made: what is made later is
// cleaned up earlier.
func start(t *testing.T, environment map[string]string, args ...string) *runner {
	t.Helper()
	r := &runner{t: t}
	t.Cleanup(func() {
		if r.Process == nil {
			return
		}
		stop(t, r.Process)
		if t.Failed() {
			t.Logf("end of the ccm's log %s:\n%s", r.LogPath(), r.Tail())
		}
	})
	r.launch(environment, args...)
	return r
}

// restart puts another CCM in the place of the present one.
func (r *runner) restart(environment map[string]string, args ...string) {
	r.t.Helper()
	stop(r.t, r.Process)
	r.launch(environment, args...)
}

func (r *runner) launch(environment map[string]string, args ...string) {
	r.t.Helper()
	p, err := launch(r.t.Name(), environment, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Process = p
	if err := p.Healthy(within(r.t)); err != nil {
		r.t.Fatal(err)
	}
}

var launches struct {
	sync.Mutex
	n int
}

func launch(name string, environment map[string]string, args ...string) (*ccm.Process, error) {
	return launchOf(name, false, environment, args...)
}

// launchOf is launch with a binary that has the race detector, or a plain one.
func launchOf(name string, plain bool, environment map[string]string, args ...string) (*ccm.Process, error) {
	launches.Lock()
	launches.n++
	name = fmt.Sprintf("%03d-%s", launches.n, fileName(name))
	launches.Unlock()
	return env.StartCCM(lab.CCMOptions{Name: name, Plain: plain, Env: maps.Clone(environment), Args: append(append([]string{}, quick...), args...)})
}

// stop ends a CCM, unless it has ended, and looks for races.
func stop(t *testing.T, p *ccm.Process) {
	t.Helper()
	select {
	case <-p.Done():
	default:
		if err := p.Stop(within(t)); err != nil {
			t.Error(err)
		}
	}
	if err := lab.RaceReports(p.Log()); err != nil {
		t.Error(err)
	}
}

// shared is the CCM of the tests that run in parallel.
var shared struct {
	once    sync.Once
	process *ccm.Process
	err     error
}

// parallel makes the test run in parallel with others, and with the shared CCM. A test with
// parallel subtests must call it too: else they run before the tests that want no other CCM.
func parallel(t *testing.T) {
	t.Helper()
	t.Parallel()
	shared.once.Do(func() {
		if shared.process, shared.err = launch("shared", firewallEnv); shared.err == nil {
			shared.err = shared.process.Healthy(within(t))
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
}

// stopShared ends the shared CCM. Its log shows races.
func stopShared() {
	if shared.process == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := shared.process.Stop(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := lab.RaceReports(shared.process.Log()); err != nil {
		panic(err)
	}
	// The firewall is never deleted: there is no Service it belongs to.
	for _, f := range env.Cloud.State().Firewalls {
		fmt.Fprintln(os.Stderr, "firewall left, as it should be:", f.Name)
	}
}
