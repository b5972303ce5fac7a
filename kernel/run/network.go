package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// How old what a NetworkReader read may be: for a load balancer that was looked at before, and for one that may have to
// be made. A user who makes a subnet and a Service at once is not surprised: after any failure it is read anew.
const (
	networkAge    = time.Minute
	networkAgeNew = 5 * time.Second
)

// networkPatience is how long a reading that somebody else has begun is waited for. It may wait for the rate limit.
const networkPatience = time.Minute

// network shares what a NetworkReader reads among the Services of a cloud.
type network struct {
	next cloud.NetworkReader
	turn chan struct{} // held while it is read

	mu     sync.Mutex
	latest cloud.Network
	began  time.Time // of latest
	// doubted is when something last failed that may have been decided by what was read.
	doubted time.Time
}

// newNetwork returns nil where there is no NetworkReader.
func newNetwork(next cloud.NetworkReader) *network {
	if next == nil {
		return nil
	}
	return &network{next: next, turn: make(chan struct{}, 1)}
}

// of returns what reads the network for a look at a load balancer.
func (n *network) of(known cloud.Known) func(context.Context) (cloud.Network, error) {
	age := networkAgeNew
	if known.Last != nil {
		age = networkAge
	}
	return func(ctx context.Context) (cloud.Network, error) { return n.get(ctx, age) }
}

// get returns what was read at most that long ago, or reads it. It is a part of an observation, which is what is tried
// again.
func (n *network) get(ctx context.Context, age time.Duration) (cloud.Network, error) {
	patience, cancel := context.WithTimeout(ctx, networkPatience)
	defer cancel()
	select {
	case n.turn <- struct{}{}:
		defer func() { <-n.turn }()
	case <-patience.Done():
		return nil, &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: opReadNetwork.name, Err: fmt.Errorf("waiting for it: %w", patience.Err())}
	}
	if latest := n.known(age); latest != nil {
		return latest, nil
	}
	began := time.Now()
	latest, err := n.next.ReadNetwork(cloud.WithTenant(cloud.WithAtLeast(transport.WithOperation(ctx, opReadNetwork.name), cloud.PriorityBegun), ""))
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.latest, n.began = latest, began
	return latest, nil
}

// known returns what was read late enough, nil for nothing.
func (n *network) known(age time.Duration) cloud.Network {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.began) >= age || !n.began.After(n.doubted) {
		return nil
	}
	return n.latest
}

// doubtedBy has the next one read anew where something failed, and returns the error. n may be nil.
func (n *network) doubtedBy(err error) error {
	if n == nil || err == nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.doubted = time.Now()
	return err
}
