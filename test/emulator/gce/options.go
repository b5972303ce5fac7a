package gce

import (
	"cmp"
	"time"
)

// Options are the settings of a Server. The zero value works.
type Options struct {
	// Project is the default project, "test-project" when empty. Its number is 1000000000001.
	Project string
	// Token is an access token of an account with all rights in all projects; "test-token" when empty.
	Token string
	// Zone is where seeded instances live and what the metadata server answers; "us-central1-a"
	// when empty. It must be a zone of Regions.
	Zone string
	// MachineNetwork is the network of the machine that the metadata server speaks for;
	// "projects/1000000000001/networks/default" when empty.
	MachineNetwork string
	// Regions are the regions of all projects, each with zones -a, -b and -c; us-central1 and
	// europe-west1 when empty.
	Regions []string
	// LinkBase begins the links in answers; "https://www.googleapis.com/compute/v1/" when empty.
	LinkBase string

	// Delay is how long operations run. With 0 the answer to a write says RUNNING and any later one
	// DONE; when negative only Operations.Finish ends them.
	Delay time.Duration
	// Quotas limit objects per metric, such as FORWARDING_RULES, in each project; a metric of a
	// regional object counts per region. None is limited when it is not named.
	Quotas map[string]int
	// Rates limit requests per minute and project by group: read, list, mutate, operation.
	Rates map[string]int
	// TokenLife is how long issued access tokens are valid; an hour when 0.
	TokenLife time.Duration
	// Latency is added to every request.
	Latency time.Duration
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.Project = cmp.Or(o.Project, "test-project")
	o.Token = cmp.Or(o.Token, "test-token")
	o.Zone = cmp.Or(o.Zone, "us-central1-a")
	o.LinkBase = cmp.Or(o.LinkBase, "https://www.googleapis.com/compute/v1/")
	o.TokenLife = cmp.Or(o.TokenLife, time.Hour)
	if len(o.Regions) == 0 {
		o.Regions = []string{"us-central1", "europe-west1"}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
