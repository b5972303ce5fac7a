package digitalocean

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

// Options are the settings of a Server. The zero value works.
type Options struct {
	// Token is the bearer token of the default account; "test-token" when empty.
	Token string
	// Region is where seeded droplets live and what the metadata service
	// answers; "nyc3" when empty. It must be one of the regions of GET /v2/regions.
	Region string

	// ActivateAfter is how long a balancer stays "new". With 0 the answer to the
	// creation says "new" and any later one "active"; when negative only
	// LoadBalancers.Activate ends it.
	ActivateAfter time.Duration
	// AllowUpdateWhileNew accepts changes of a balancer that is not active yet.
	// The real API refuses them.
	AllowUpdateWhileNew bool
	// ResizeOncePerHour refuses to resize a balancer within an hour of its
	// creation or its last resize, as the real API does.
	ResizeOncePerHour bool
	// UniqueBalancerNames refuses a second balancer of the same name.
	UniqueBalancerNames bool
	// BalancerLimit is the account's quota of balancers; none when 0.
	BalancerLimit int

	// Latency is added to every API request.
	Latency time.Duration
	// Quota is the request quota per token; off when zero. The published one
	// is 5,000 an hour and 250 a minute.
	Quota rate.Quota
	// Now is the clock of timestamps, of the resize rule and of the quota;
	// time.Now when nil. ActivateAfter and Latency use real timers.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Token == "" {
		o.Token = "test-token"
	}
	if o.Region == "" {
		o.Region = "nyc3"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
