package hcloud

import (
	"cmp"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

// PublishedQuota is how many requests an hour a project has, given back one a second.
const PublishedQuota = 3600

// Options are the settings of a Server. The zero value works.
type Options struct {
	// Token is the token of the default project; "test-token" when empty.
	Token string
	// Location is where seeded servers live; "fsn1" when empty.
	Location string

	// Delay is how long actions run. With 0 the answer to a write says "running" and any later one
	// "success"; when negative only FinishActions ends them.
	Delay time.Duration
	// AtOnce makes the answer to a write say how its action ended, where Delay is 0.
	AtOnce bool
	// IssueDelay is how long the issuance of a managed certificate runs; as Delay when 0.
	IssueDelay time.Duration
	// Conflict makes a write to what an action runs on answer 409 conflict instead of 423 locked.
	Conflict bool
	// DetachKeepsTargets leaves targets with private addresses when a load balancer leaves its network. Which of both the API
	// does nobody has asked it: a guess, of which tests try both.
	DetachKeepsTargets bool
	// BalancerLimit is how many load balancers a project may have; no limit when 0.
	BalancerLimit int

	// Latency is added to every request.
	Latency time.Duration
	// Quota is the request quota per project; off when zero. The published one is PublishedQuota an hour.
	Quota rate.Quota
	// Robot are the settings of the Robot web service.
	Robot robot.Options
	// Now is the clock of timestamps and quotas; time.Now when nil. Delay and Latency use real timers.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.Token = cmp.Or(o.Token, "test-token")
	o.Location = cmp.Or(o.Location, "fsn1")
	o.IssueDelay = cmp.Or(o.IssueDelay, o.Delay)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Robot.Now == nil {
		o.Robot.Now = o.Now
	}
	o.Robot.Latency = cmp.Or(o.Robot.Latency, o.Latency)
	return o
}
