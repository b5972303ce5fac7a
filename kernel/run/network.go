package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/reading"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport/rate"
)

// How old what a NetworkReader read may be: for a load balancer that was looked at before, and for one that may have to
// be made. A user who makes a subnet and a Service at once is not surprised: after any failure it is read anew.
const (
	networkAge    = time.Minute
	networkAgeNew = 5 * time.Second
)

// networkPatience is how long a reading is waited for. It may wait for the rate limit.
const networkPatience = time.Minute

// network shares what a NetworkReader reads among the Services of a cloud. It is a part of their observations, which are what is tried again.
type network struct {
	reading *reading.Shared[cloud.Network]
}

// newNetwork returns nil where there is no NetworkReader.
func newNetwork(next cloud.NetworkReader) *network {
	if next == nil {
		return nil
	}
	read := func(ctx context.Context) (cloud.Network, error) {
		ctx = rate.WithCall(cloud.WithTenant(cloud.WithAtLeast(transport.WithOperation(ctx, opReadNetwork.name), cloud.PriorityBegun), ""), opReadNetwork.read)
		return contain(func() (cloud.Network, error) { return cloud.ReadNetwork(ctx, next) })
	}
	return &network{reading.New(read, reading.Options{Limit: cloud.CallTimeout, Patience: networkPatience})}
}

// of returns what reads the network for a look at a load balancer.
func (n *network) of(known cloud.Known) func(context.Context) (cloud.Network, error) {
	age := networkAgeNew
	if known.Last != nil {
		age = networkAge
	}
	return func(ctx context.Context) (cloud.Network, error) {
		read, err := n.reading.Get(ctx, time.Now().Add(1-age))
		if _, isSlow := errors.AsType[*reading.SlowError](err); isSlow || err != nil && ctx.Err() != nil {
			err = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Op: opReadNetwork.name, Err: fmt.Errorf("waiting for it: %w", err)}
		}
		return read.Of, err
	}
}

// doubtedBy has the next one read anew where something failed that may have been decided by what was read, and returns the error. n
// may be nil.
func (n *network) doubtedBy(err error) error {
	if n != nil && err != nil {
		n.reading.Outdate(time.Now())
	}
	return err
}
