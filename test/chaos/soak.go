package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// soak is a cluster in which all sorts of things happen at once, for as long as one likes.
type soak struct {
	name string
	// cloud is the name of the test cloud, and endpoint the variable with the URL of its API.
	cloud, endpoint string
	// machines and services are how many there are, and calm how long nothing changes between two changes of Services.
	machines, services int
	calm               time.Duration
	// takes is how long a new balancer does not serve.
	takes time.Duration
}

// soaks run side by side, each on a cluster of its own.
var soaks = []soak{
	{name: "soak", cloud: "digitalocean", endpoint: "DO_OVERRIDE_URL", machines: 100, services: 40, calm: 700 * time.Millisecond, takes: 2 * time.Second},
	{name: "soak Hetzner", cloud: "hcloud", endpoint: "HCLOUD_ENDPOINT", machines: 20, services: 12, calm: 1500 * time.Millisecond, takes: 200 * time.Millisecond},
}

const (
	// quiet is how long everything may take to be in order after the last fault: a deletion whose answer a kill took waits until the creation is
	// long ago.
	quiet = creation.Settling + time.Minute
	// setup is how long it may take until a soak begins.
	setup = 3 * time.Minute
)

// soaking is a soak under way.
type soaking struct {
	soak
	*lab.Lab
	*ledger
	front *flaky
	url   string
	seed  uint64
	// process is the CCM, launches how many there were, kills how many of them were killed.
	process         *ccm.Process
	launches, kills int
}

// results soaks, and says what came of it.
func (s soak) results(ctx context.Context, o Options) []Result {
	began := time.Now()
	fmt.Fprintf(o.Progress, "chaos: %s, %s, seed %d\n", s.name, o.Soak, o.Seed)
	results, err := s.run(ctx, o)
	return of(s.name, began, results, err)
}

// run soaks for a while, and returns the results.
func (s soak) run(ctx context.Context, o Options) ([]Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, setup+o.Soak+quiet+time.Minute, fmt.Errorf("the soak did not end in time"))
	defer cancel()
	cloud, err := testcloud.Open(ctx, s.cloud, testcloud.Options{Activation: s.takes})
	if err != nil {
		return nil, err
	}
	l, err := lab.Start(ctx, lab.Options{Binary: o.Binary, Cloud: cloud, ControlPlane: controlplane.Options{Controllers: controlplane.NoControllers, Progress: o.Progress}})
	if err != nil {
		return nil, fmt.Errorf("starting a lab: %w", err)
	}
	defer l.Stop()
	x := &soaking{soak: s, Lab: l, ledger: newLedger(s.services), seed: o.Seed, front: &flaky{faults: map[string]int{}, random: random(o.Seed, "faults")}}
	x.front.removing = x.removing
	if x.url, err = x.front.listen(cloud.Env()[s.endpoint]); err != nil {
		return nil, err
	}
	defer func() { _ = x.front.server.Close() }()
	defer func() {
		if x.process != nil {
			x.process.Kill()
		}
	}()
	return x.soakAndJudge(ctx, o)
}

// random is a source of numbers of its own for each that does something, so that they do not depend on each other.
func random(seed uint64, who string) *rand.Rand {
	other := uint64(0)
	for _, c := range who {
		other = other*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, other))
}

func (x *soaking) soakAndJudge(ctx context.Context, o Options) ([]Result, error) {
	if err := x.settle(ctx); err != nil {
		return nil, err
	}
	if err := x.trouble(ctx, o.Soak); err != nil {
		return nil, err
	}
	began := time.Now()
	found, err := x.calmDown(ctx)
	if err != nil {
		return nil, err
	}
	if found.isWrong() {
		fmt.Fprintf(o.Progress, "chaos: %s: the end of the CCM's log\n%s\n", x.name, x.process.Tail())
	}
	return x.verdict(found, o.Soak, time.Since(began)), nil
}

// settle makes the machines with their Nodes, and starts a CCM.
func (x *soaking) settle(ctx context.Context) error {
	machines, err := x.Cloud.Seed(ctx, x.machines, testcloud.Machine{})
	if err != nil {
		return err
	}
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		x.there[m.Name] = m
		nodes = append(nodes, m.Settled())
	}
	if err := x.JoinNodes(ctx, nodes); err != nil {
		return err
	}
	return x.launch()
}

// soakFlags switch the deletion brake off: it would hide a wrong deletion, and on a busy machine a CCM that is killed every 30 s finds more
// machines missing at once than it lets go. That it holds is for the kill loop to show.
var soakFlags = append([]string{"--cluster-id=soak", "--node-deletion-fraction=1", "--node-deletion-window=20s"}, hasty...)

// launch starts a CCM.
func (x *soaking) launch() (err error) {
	x.launches++
	x.process, err = x.StartCCM(lab.CCMOptions{
		Name: fmt.Sprintf("soak-%s-%d", x.cloud, x.launches), Env: map[string]string{x.endpoint: x.url}, Args: soakFlags,
	})
	return err
}

// trouble does everything at once, for a while.
func (x *soaking) trouble(ctx context.Context, takes time.Duration) error {
	x.front.on.Store(true)
	defer x.front.on.Store(false)
	until, cancel := context.WithTimeout(ctx, takes)
	defer cancel()
	group, until := errgroup.WithContext(until)
	group.Go(func() error { return x.changeServices(until, ctx) })
	group.Go(func() error { return x.changeMachines(until, ctx) })
	group.Go(func() error { return x.killAgainAndAgain(until) })
	group.Go(func() error { return x.watch(until, ctx) })
	return group.Wait()
}

// killAgainAndAgain kills the CCM every 20 to 40 s. One that ends by itself, such as when the cloud refuses it at the start, is started
// again as a kubelet does.
func (x *soaking) killAgainAndAgain(until context.Context) error {
	r := random(x.seed, "kills")
	for {
		life := time.NewTimer(20*time.Second + time.Duration(r.Int64N(int64(20*time.Second))))
		select {
		case <-until.Done():
			life.Stop()
			return nil
		case <-x.process.Done():
			life.Stop()
			wait(until, time.Second)
		case <-life.C:
			x.process.Kill()
			x.kills++
		}
		if err := x.launch(); err != nil {
			return err
		}
	}
}
