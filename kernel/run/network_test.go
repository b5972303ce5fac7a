package run_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// placed is a driver whose balancers stand in a network.
type placed struct {
	cloud.Account
	cloud.Balancers

	reads   atomic.Int32
	seen    atomic.Value // of the last Observe
	refuses atomic.Bool
	gone    atomic.Bool // the network cannot be read
	alone   atomic.Bool // Observe needs no network
}

func (p *placed) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureInvalid} }

// ReadNetwork reads how often it was read.
func (p *placed) ReadNetwork(context.Context) (int32, error) {
	if p.gone.Load() {
		return 0, errors.New("no answer")
	}
	time.Sleep(time.Millisecond)
	return p.reads.Add(1), nil
}

func (p *placed) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	if p.alone.Load() {
		return cloud.Observed{}, nil
	}
	network, err := cloud.NetworkOf[int32]{Reader: p}.Of(ctx, in.Environment)
	if err != nil {
		return cloud.Observed{}, err
	}
	p.seen.Store(network)
	if p.refuses.Load() {
		return cloud.Observed{}, errors.New("no subnet")
	}
	return cloud.Observed{}, nil
}

func (p *placed) Normalize(cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	if p.refuses.Load() {
		return cloud.Balancer{}, nil, errors.New("no subnet")
	}
	return cloud.Balancer{}, nil, nil
}

// The network is read once for all that come within five seconds, or a minute where the balancer is known, and anew after
// anything failed.
func TestNetworkIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver := &placed{}
		handed := cloudtest.Driver(driver)
		handed.Balancers.NetworkReader = cloud.NetworkOf[int32]{Reader: driver}
		balancers := run.Decorate(handed, run.Options{}).Balancers
		var known *cloud.Observed
		observe := func(want int32, what string) {
			t.Helper()
			if _, err := balancers.Observe(t.Context(), cloud.Input{Known: cloud.Known{Last: known}}); err != nil && !driver.refuses.Load() {
				t.Fatalf("%s: %v", what, err)
			}
			if got := driver.seen.Load(); got != want {
				t.Errorf("%s: reading %v, want %d", what, got, want)
			}
		}
		for range 10 {
			go func() {
				if _, err := balancers.Observe(t.Context(), cloud.Input{}); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		observe(1, "ten at once")
		time.Sleep(4 * time.Second)
		observe(1, "four seconds later")
		time.Sleep(time.Second)
		observe(2, "five seconds later")
		known = &cloud.Observed{}
		time.Sleep(59 * time.Second)
		observe(2, "of a balancer that was looked at before")
		time.Sleep(time.Second)
		observe(3, "of one that was looked at before, a minute later")
		known = nil

		driver.refuses.Store(true)
		if _, _, err := balancers.Normalize(cloud.Input{}); err == nil {
			t.Fatal("nothing was refused")
		}
		time.Sleep(time.Millisecond)
		observe(4, "after a refusal")
		time.Sleep(time.Millisecond)
		observe(5, "after an observation that failed")
		driver.refuses.Store(false)

		time.Sleep(5 * time.Second)
		driver.alone.Store(true)
		if _, err := balancers.Observe(t.Context(), cloud.Input{}); err != nil || driver.reads.Load() != 5 {
			t.Errorf("an observation that needs no network: %v, reading %d", err, driver.reads.Load())
		}
		driver.alone.Store(false)
		driver.gone.Store(true)
		if _, err := balancers.Observe(t.Context(), cloud.Input{}); !cloud.IsClass(err, cloud.FailureInvalid) {
			t.Errorf("without a network: %v", err)
		}
	})
}
