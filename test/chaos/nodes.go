package chaos

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// killLoop kills the CCM again and again while the cloud hides most machines: what protects Nodes
// must survive the process.
func killLoop(ctx context.Context, a *arena) ([]Result, error) {
	const machines, hidden, kills, life = 40, 25, 11, 6 * time.Second
	droplets, err := a.pool(ctx, machines)
	if err != nil {
		return nil, err
	}
	first, err := a.start(ctx, nil)
	if err != nil {
		return nil, err
	}
	// One pass in peace: the CCM has seen all machines.
	if err := a.join(ctx); err != nil {
		return nil, err
	}
	var ids []int
	for _, d := range droplets[:hidden] {
		ids = append(ids, d.ID)
	}
	if err := a.Cloud.Droplets.Delete(ids...); err != nil {
		return nil, err
	}
	if err := a.setNotReady(ctx, droplets[:hidden]...); err != nil {
		return nil, err
	}
	p := first
	for range kills {
		wait(ctx, life)
		p.Kill()
		if p, err = a.start(ctx, nil); err != nil {
			return nil, err
		}
	}
	wait(ctx, life)
	gone, err := a.missing(ctx, droplets)
	if err != nil {
		return nil, err
	}
	done := fmt.Sprintf("%d of %d machines hidden, %d × kill -9", hidden, machines, kills)
	results := []Result{count(done, "Nodes deleted", 0, len(gone), strings.Join(gone, " "))}
	if err := a.Cloud.Droplets.Resurrect(ids...); err != nil {
		return results, err
	}
	return append(results, holds("the machines are back", "a new Node is initialised", a.join(ctx))), nil
}

// frozenAPIServer stops the API server without ending it: connections stay open and say nothing.
func frozenAPIServer(ctx context.Context, a *arena) ([]Result, error) {
	const freeze = 30 * time.Second
	droplets, err := a.pool(ctx, 20)
	if err != nil {
		return nil, err
	}
	p, err := a.start(ctx, nil, "--leader-elect=true")
	if err != nil {
		return nil, err
	}
	if err := a.join(ctx); err != nil {
		return nil, err
	}
	if err := a.setNotReady(ctx, droplets[:10]...); err != nil {
		return nil, err
	}
	a.FreezeAPIServer()
	wait(ctx, freeze)
	a.ThawAPIServer()
	select {
	case <-p.Done(): // it lost the lease; a pod starts again
		if _, err := a.start(ctx, nil, "--leader-elect=true"); err != nil {
			return nil, err
		}
	default:
	}
	back, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("not within a minute"))
	defer cancel()
	joined := a.join(back)
	gone, err := a.missing(ctx, droplets)
	if err != nil {
		return nil, err
	}
	done := fmt.Sprintf("SIGSTOP for %s", freeze)
	return []Result{
		count(done, "Nodes deleted", 0, len(gone), strings.Join(gone, " ")),
		holds(done, "a new Node is initialised within 60 s", joined),
	}, nil
}

// wait lets the CCM go on for a while: what must not happen cannot be waited for.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
