package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// Burst is many Services made at once, while a Node joins and the cloud's limit is enforced.
type Burst struct {
	// First is after how many seconds the first Service had its address, 0 where none had, and Node after how many at the most a Node was
	// initialised that joined meanwhile.
	First float64 `json:"first"`
	Node  float64 `json:"node"`
	// Addressed is how many of Services have their address after Seconds.
	Addressed int     `json:"addressed"`
	Services  int     `json:"services"`
	Seconds   float64 `json:"seconds"`
	Calls     Calls   `json:"calls"`
}

const (
	// burstLasts is how long the Services of a burst may take.
	burstLasts = 240 * time.Second
	// burstJoins is how long after one Node the next one joins.
	burstJoins = 20 * time.Second
	// burstFirst and burstNode are what is promised, in seconds.
	burstFirst, burstNode = 30, 10
)

// burst makes all Services at once, and notes in its result what comes of that.
type burst struct {
	*run
	result *Burst
}

// burst makes all Services at once.
func (r *run) burst(ctx context.Context) error {
	return r.process(ctx, func(ctx context.Context, p *ccm.Process) error {
		r.lab.Cloud.SetQuota(r.facts.Quota)
		profiled := r.profile(ctx, p, "burst")
		return errors.Join(burst{r, &r.result.Burst}.measure(ctx), profiled())
	})
}

func (b burst) measure(ctx context.Context) error {
	m := b.now()
	if err := b.each(ctx, b.makeService); err != nil {
		return err
	}
	b.progress("%d Services are made after %.1f s", b.options.Services, time.Since(m.at).Seconds())
	limited, cancel := context.WithTimeout(ctx, burstLasts-time.Since(m.at))
	defer cancel()
	nodes := make(chan error, 1)
	go func() { nodes <- b.joinAmong(limited) }()
	err := b.watch.signal.Until(limited, func() bool { // counted below
		addressed := b.watch.addressed()
		if b.result.First == 0 && len(addressed) > 0 {
			b.result.First = time.Since(m.at).Seconds()
			b.progress("the first address after %.1f s", b.result.First)
		}
		return len(addressed) == b.options.Services
	})
	if err == nil {
		cancel()
	}
	if err := <-nodes; err != nil {
		return err
	}
	b.result.Services, b.result.Addressed = b.options.Services, len(b.watch.addressed())
	b.result.Seconds, b.result.Calls = time.Since(m.at).Seconds(), b.calls(m)
	b.progress("%d of %d Services have an address after %.1f s, with %d requests", b.result.Addressed, b.result.Services, b.result.Seconds, b.result.Calls.Total)
	return nil
}

// joinAmong lets Nodes join one after the other, and notes the longest time until one was initialised, up to now where it never was.
// The time that the test cloud takes to make the machine is not part of it.
func (b burst) joinAmong(ctx context.Context) error {
	for {
		made, want := time.Now(), b.watch.initialisedNodes()+1
		if err := b.joinMore(context.WithoutCancel(ctx), 1, true); err != nil {
			return err
		}
		joined := time.Now()
		b.progress("a machine was made and its Node joined in %.1f s", joined.Sub(made).Seconds())
		_ = b.watch.signal.Until(ctx, func() bool { return b.watch.initialisedNodes() >= want }) // ends with the others
		b.result.Node = max(b.result.Node, time.Since(joined).Seconds())
		b.progress("a Node that joined was initialised after %.1f s at the most", b.result.Node)
		select {
		case <-time.After(burstJoins):
		case <-ctx.Done():
			return nil
		}
	}
}

// violations says what is not as it is promised of many Services at once.
func (c Burst) violations() (broken []string) {
	if c.Services == 0 {
		return nil
	}
	if after := cmp.Or(c.First, burstLasts.Seconds()); after > burstFirst {
		broken = append(broken, fmt.Sprintf("the first of many Services has its address after %.0f s, want %d", after, burstFirst))
	}
	if c.Node > burstNode {
		broken = append(broken, fmt.Sprintf("a Node beside many Services is initialised after %.0f s, want %d", c.Node, burstNode))
	}
	return broken
}
