package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// clusters says which cluster the ownership tags name of the load balancers that Services have.
type clusters struct {
	err error
	// looked are the ids of those that were looked at.
	looked []string
	// without are Services whose load balancer names no cluster, former those whose one names a former id, and conflicts are what
	// Services name and may not have.
	without, former, conflicts []string
	// pending are Services on whose load balancer the cloud works.
	pending []*corev1.Service
}

// namedClusters looks at the load balancers of all Services that ask us for one, or have one to give up.
func namedClusters(ctx context.Context, f *facts) (c clusters) {
	asking := append(f.asking(func(*corev1.Service) bool { return true }), f.leaving()...)
	if len(asking) == 0 || f.sky.unknown() != nil || f.nodes.err != nil {
		return c
	}
	for _, found := range f.inspector().Balancers(ctx, asking) {
		name := serviceName(found.Service)
		if found.Err != nil {
			c.err = fmt.Errorf("reading the load balancer of Service %s: %w", name, found.Err)
			return c
		}
		us := found.Found.Input.Owner
		if slices.ContainsFunc(found.Found.Clusters, func(id string) bool { return !us.HasCluster(id) }) {
			for _, conflict := range found.Found.Conflicts {
				c.conflicts = append(c.conflicts, name+": "+conflict)
			}
		}
		observed := found.Found.Observed
		if !observed.Found {
			continue
		}
		if observed.State == cloud.BalancerPending {
			c.pending = append(c.pending, found.Service)
		}
		switch cluster := observed.Owner.Cluster; {
		case cluster == "":
			c.without = append(c.without, name)
		case cluster != us.Cluster:
			c.former = append(c.former, name+": "+cluster)
		}
		c.looked = append(c.looked, observed.ID)
	}
	return c
}

// leaving are the Services whose load balancer waits for its deletion, with a finalizer of ours.
func (f *facts) leaving() (list []*corev1.Service) {
	if !f.balances() {
		return nil
	}
	for n := range f.services.value {
		svc := &f.services.value[n]
		values, _ := f.Cloud.Annotations.Parse(svc.Annotations)
		if f.held(svc) && !f.wants(svc) && !annotation.Disown.Bool(values) {
			list = append(list, svc)
		}
	}
	return list
}

// formerlyNamed are the load balancers of the account, besides those that were looked at, whose ownership tags name a Service of a former
// id: those whose Services are gone among them. Without the flag nobody would be told of them.
func (f *facts) formerlyNamed() (list []string) {
	us := f.us()
	for _, b := range f.owned.value {
		if b.Deleting || slices.Contains(f.clusters.looked, b.ID) {
			continue
		}
		for _, owner := range b.Owners {
			if owner.Cluster != us.Cluster && us.HasCluster(owner.Cluster) && (owner.UID != "" || owner.Name != "") {
				list = append(list, b.ID+": "+owner.Cluster)
				break
			}
		}
	}
	return list
}

// inspector says what the controller manager would do. All who ask share what it has read. It is for one at a time, after the
// machines of the Nodes are known.
func (f *facts) inspector() *inspect.Inspector {
	if f.planner != nil {
		return f.planner
	}
	f.planner = inspect.New(inspect.Options{
		Cloud: f.Cloud, ClusterID: f.Manager.ClusterID, FormerClusterIDs: f.Manager.FormerClusterIDs, Cluster: f.cluster(), Tuning: f.Manager.Tuning,
		Adoption: f.Manager.Adoption, ClusterCIDRs: f.Manager.ClusterCIDRs, Enabled: f.Manager.Enabled,
	})
	return f.planner
}

// judgeClusters says whether ownership tags name this cluster, and whether --former-cluster-ids can go:
//
//	load balancers                                outcome
//	are another cluster's                         failure
//	name a former id, whatever became of their    ok: the flag has to stay
//	 Services
//	could not all be listed, the flag is there    not known
//	are refused, and the id is the default one    not known: the doctor may not have been told another one
//	name none, the flag is there                  warning: it can go
//	any others                                    ok, with the number of those that name no cluster
func judgeClusters(f *facts) Outcome {
	if err := f.servicesKnown(); err != nil {
		return cannot(err)
	}
	if !f.balances() {
		return fine("%s", unbalanced(f))
	}
	if err := cmp.Or(f.sky.unknown(), f.nodes.err, f.clusters.err); err != nil {
		return cannot(err)
	}
	c, ids := f.clusters, strings.Join(f.Manager.FormerClusterIDs, ",")
	c.former = slices.Concat(c.former, f.formerlyNamed())
	switch {
	case len(c.conflicts) > 0 && f.isDefault():
		return Outcome{Level: Skipped, Evidence: bounded(c.conflicts), Message: fmt.Sprintf(
			"%s that Services name and this cluster may not have, if its id is the default %q: name it with --cluster-id", plural(len(c.conflicts), "load balancer"), defaultClusterID)}
	case len(c.conflicts) > 0:
		return failure(plural(len(c.conflicts), "load balancer")+" that Services name and may not have", "", bounded(c.conflicts)...)
	case len(c.former) > 0:
		o := fine("%s with a former id of the cluster in their ownership tags: --former-cluster-ids=%s has to stay%s", plural(len(c.former), "load balancer"), ids, c.unnamed())
		o.Evidence = bounded(c.former)
		return o
	case ids != "" && f.owned.err != nil:
		return cannot(f.owned.err)
	case ids != "":
		return warning("no load balancer has a former id of the cluster in its ownership tags"+c.unnamed(), "leave out --former-cluster-ids="+ids+" (chart: formerClusterIDs)")
	}
	return fine("%s looked at%s", plural(len(c.looked), "load balancer"), c.unnamed())
}

// unnamed counts the load balancers that name no cluster.
func (c clusters) unnamed() string {
	if len(c.without) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s without a cluster in the ownership tags, which the first change writes: %s", plural(len(c.without), "load balancer"), names(c.without))
}
