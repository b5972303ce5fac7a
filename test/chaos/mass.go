package chaos

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// promptly is how long load balancers may take to follow, while the Nodes of many missing machines are held.
const promptly = 15 * time.Second

// made is how long the cloud itself takes to make one.
const made = 10 * time.Second

// massRemoval removes most machines at once. Their Nodes are held, and load balancers go on: new ones are made, changes
// are applied, and new machines become targets.
func massRemoval(ctx context.Context, a *arena) ([]Result, error) {
	const machines, removed, joining = 20, 12, 2
	droplets, err := a.serving(ctx, machines)
	if err != nil {
		return nil, err
	}
	if err := a.removeMachines(ctx, droplets[:removed]); err != nil {
		return nil, err
	}
	done := fmt.Sprintf("%d of %d machines removed", removed, machines)
	results := []Result{
		a.within(ctx, promptly+made, done, "a new Service has its load balancer", func(ctx context.Context) error {
			if err := a.service(ctx, "default", "new", nil); err != nil {
				return err
			}
			_, err := a.served(ctx, "new")
			return err
		}),
		a.promptly(ctx, done, "a changed port is applied", func(ctx context.Context) error {
			patch := []byte(`[{"op":"replace","path":"/spec/ports/0/port","value":81}]`)
			if _, err := a.Client().CoreV1().Services("default").Patch(ctx, "old", types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
				return err
			}
			return a.eventuallyListens(ctx, "tcp/81")
		}),
	}
	var joined []digitalocean.Droplet
	results = append(results, a.promptly(ctx, done, fmt.Sprintf("%d new machines are targets", joining), func(ctx context.Context) error {
		joined, err = a.joinMany(ctx, joining)
		if err != nil {
			return err
		}
		return a.eventuallyTargets(ctx, slices.Concat(droplets[removed:], joined))
	}))
	return a.nodesHeld(ctx, results, done, droplets)
}

// poolReplacement replaces the machines of a whole node pool, without a word to the cluster.
func poolReplacement(machines, replaced int) func(context.Context, *arena) ([]Result, error) {
	return func(ctx context.Context, a *arena) ([]Result, error) {
		droplets, err := a.serving(ctx, machines)
		if err != nil {
			return nil, err
		}
		if err := a.removeMachines(ctx, droplets[:replaced]); err != nil {
			return nil, err
		}
		done := fmt.Sprintf("%d of %d machines replaced", replaced, machines)
		results := []Result{a.promptly(ctx, done, "the new machines are targets", func(ctx context.Context) error {
			joined, err := a.joinMany(ctx, replaced)
			if err != nil {
				return err
			}
			return a.eventuallyTargets(ctx, slices.Concat(droplets[replaced:], joined))
		})}
		return a.nodesHeld(ctx, results, done, droplets)
	}
}

// serving starts a CCM with so many Nodes and the Service "old", whose load balancer has all of them.
func (a *arena) serving(ctx context.Context, machines int) ([]digitalocean.Droplet, error) {
	droplets, err := a.pool(ctx, machines)
	if err != nil {
		return nil, err
	}
	if _, err := a.start(ctx, nil); err != nil {
		return nil, err
	}
	if err := a.service(ctx, "default", "old", nil); err != nil {
		return nil, err
	}
	if _, err := a.served(ctx, "old"); err != nil {
		return nil, err
	}
	return droplets, a.eventuallyTargets(ctx, droplets)
}

// removeMachines deletes machines, and their kubelets report no more.
func (a *arena) removeMachines(ctx context.Context, droplets []digitalocean.Droplet) error {
	var ids []int
	for _, d := range droplets {
		ids = append(ids, d.ID)
	}
	if err := a.Cloud.Droplets.Delete(ids...); err != nil {
		return err
	}
	return a.setNotReady(ctx, droplets...)
}

// joinMany makes machines and joins their Nodes at once, as kubelets do that do not know their provider-ID.
func (a *arena) joinMany(ctx context.Context, n int) ([]digitalocean.Droplet, error) {
	droplets := a.Cloud.Droplets.Seed(n)
	group, ctx := errgroup.WithContext(ctx)
	for _, d := range droplets {
		group.Go(func() error {
			_, err := a.JoinNode(ctx, controlplane.NodeOptions{Name: d.Name, Ready: true})
			return err
		})
	}
	return droplets, group.Wait()
}

// eventuallyTargets waits until every load balancer has these machines as targets.
func (a *arena) eventuallyTargets(ctx context.Context, droplets []digitalocean.Droplet) error {
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		balancers, err := a.Cloud.Balancers(ctx)
		if err != nil {
			return err
		}
		for _, b := range balancers {
			have := 0
			for _, d := range droplets {
				if slices.Contains(b.Targets, strconv.Itoa(d.ID)) {
					have++
				}
			}
			if have < len(droplets) {
				return fmt.Errorf("%s has %d of %d machines as targets", b.Name, have, len(droplets))
			}
		}
		return nil
	})
}

// eventuallyListens waits until a load balancer has the listener.
func (a *arena) eventuallyListens(ctx context.Context, listener string) error {
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		balancers, err := a.Cloud.Balancers(ctx)
		for _, b := range balancers {
			if slices.Contains(b.Listeners, listener) {
				return nil
			}
		}
		if err == nil {
			err = fmt.Errorf("no load balancer listens on %s", listener)
		}
		return err
	})
}

// promptly is a result about something that must come to pass in time.
func (a *arena) promptly(ctx context.Context, done, what string, do func(context.Context) error) Result {
	return a.within(ctx, promptly, done, what, do)
}

func (a *arena) within(ctx context.Context, limit time.Duration, done, what string, do func(context.Context) error) Result {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not within %s", limit))
	defer cancel()
	return holds(done, fmt.Sprintf("%s within %s", what, limit), do(ctx))
}

// nodesHeld adds the result that no Node was deleted.
func (a *arena) nodesHeld(ctx context.Context, results []Result, done string, droplets []digitalocean.Droplet) ([]Result, error) {
	gone, err := a.missing(ctx, droplets)
	if err != nil {
		return nil, err
	}
	return append(results, count(done, "Nodes deleted", 0, len(gone), strings.Join(gone, " "))), nil
}
