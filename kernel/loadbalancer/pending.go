package loadbalancer

import (
	"cmp"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Pending is what an error of this package is where the cloud is only busy.
type Pending = problem.Pending

const (
	// pollFirst is how long to wait at first for a balancer that is pending where the cloud does not say.
	pollFirst = time.Second
	// operationWait is while operations run, whose end is told.
	operationWait = time.Minute
)

// waitFor says when to look at a change again: when its operations have ended, or when the cloud said.
func (p *pipeline) waitFor(progress cloud.Progress, reason string) *Pending {
	if running := p.state.Running; running != nil && len(progress.Operations) > 0 {
		return &Pending{After: operationWait, Ended: running.Done(), Reason: reason}
	}
	return &Pending{After: cmp.Or(progress.After, pollFirst), Reason: reason}
}
