// Package doctor says why a cluster and its cloud do not come together. It only reads, and
// needs no more rights than the controller manager itself: what it may not read it says.
//
// It works in two steps. Facts are read from the cluster and from the cloud, at the same time, and
// a fact that cannot be read carries the reason. Then every check of the catalogue judges
// the facts; one whose facts are missing says so, and no check ends the run.
package doctor

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Options say what to look at.
type Options struct {
	// Client is nil when ClientErr says why there is none.
	Client    kubernetes.Interface
	ClientErr error
	// Server is the API server's address as it is configured.
	Server string
	// InPod says that the doctor runs where the controller manager does.
	InPod bool
	// Cloud is read only, and nil when CloudErr says why there is none.
	Cloud    *run.Cloud
	CloudErr error
	// Source says which setting an error of the cloud is about, "" where that is not known. It may be nil.
	Source func(error) string
	// Warnings are what the provider says about its configuration.
	Warnings []string
	// Lease is the leader's.
	Lease types.NamespacedName
	// Manager is how the controller manager is configured.
	Manager Manager
	// Clock is what the answers said about the time; nil when nobody watched.
	Clock *Clock
	// Scopes are what to look at; everything when empty.
	Scopes []Scope
	// Patience is how long a Pod, Node or Service may wait before that is a failure; DefaultPatience when 0.
	Patience time.Duration
	// BeforeUninstall looks only for what nobody would look after without a controller manager.
	BeforeUninstall bool
}

// DefaultPatience is what nobody has to wait for: Nodes and load balancers take less.
const DefaultPatience = 2 * time.Minute

// Manager is the configuration of the controller manager, as far as checks depend on it.
type Manager struct {
	// Known says that the flags are those of the running one.
	Known bool
	// Enabled says of each controller whether it runs, see controller.Enabled; nil for those that run
	// by default.
	Enabled map[string]bool
	// DryRun and NoElection are --dry-run and --leader-elect=false.
	DryRun, NoElection bool
	// RoutesAsked says that --configure-cloud-routes=true was given.
	RoutesAsked  bool
	ClusterCIDRs []netip.Prefix
	ClusterID    string
	// FormerClusterIDs are ids that the cluster had before.
	FormerClusterIDs []string
	Tuning           framework.Tuning
	Adoption         safety.Adoption
	// Problems are what is wrong with its flags, each in a sentence.
	Problems []string
	// Workload is what it runs as, nil when that is not known.
	Workload *Workload
}

// Run makes the checks. What cannot be checked is part of the report, so it returns no error.
func Run(ctx context.Context, o Options) Report {
	return gather(ctx, o.withDefaults(), time.Now()).report()
}

func (o Options) withDefaults() Options {
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	return o
}

// late says of things that wait what they lack, and for how long at least where that is a time to speak of.
func (o *Options) late(things, lack string) string {
	says := things + " " + lack
	if o.Patience >= time.Second {
		says += " after " + o.Patience.String()
	}
	return says
}

// report makes the checks that are asked for. Beside them is what keeps them from being made.
func (f *facts) report() Report {
	var report Report
	for _, check := range Checks() {
		asked := f.asks(check)
		if !asked && !decides(f, check) {
			continue
		}
		if outcome := check.outcome(f); asked || outcome.Level == Failure {
			report = append(report, Result{ID: check.ID, Scope: check.Scope, Link: check.Link(), Outcome: outcome})
		}
	}
	return report
}

// decides reports whether the failure of a check keeps others from being made, which name it.
func decides(f *facts, c Check) bool {
	switch c.ID {
	case idServer:
		return f.version.err != nil
	case idSettings:
		return !f.BeforeUninstall // which does not ask for the provider
	}
	return f.sky.err != nil && c.ID == string(f.sky.kind)
}

// asks reports whether a check is one of those that are asked for.
func (o Options) asks(c Check) bool {
	if o.BeforeUninstall || c.Scope == Uninstall {
		return o.BeforeUninstall && c.Scope == Uninstall
	}
	return len(o.Scopes) == 0 || slices.Contains(o.Scopes, c.Scope)
}
