package adopt

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Repository is where links to the documentation lead.
const Repository = "https://github.com/multicloud-ccm/multicloud-ccm/blob/main/"

// Look says what the switch from upstream's controller manager is going to do.
func Look(ctx context.Context, i *inspect.Inspector, cloudName string, upstream cloud.Upstream) Report {
	r := Report{
		Version: Version, Cloud: cloudName, From: upstream.Name, Guide: Repository + upstream.Guide,
		Balancers: []Balancer{}, OwnershipTags: []OwnershipTag{}, Plans: []plan.Entry{}, Differences: []Difference{},
	}
	nodes := i.FoundNodes(ctx)
	r.Summary.Nodes = len(nodes)
	for _, n := range nodes {
		r.Differences = append(r.Differences, ofNode(n, upstream)...)
		r.take(n.Entry)
	}
	if entry, ok := i.Routes(ctx); ok {
		r.takeShared(entry)
	}
	var own cloud.Owner
	var named, ours []string
	for _, s := range i.FoundServices(ctx) {
		if i.HasBalancers() {
			r.Balancers = append(r.Balancers, balancer(s))
		}
		r.Differences = append(r.Differences, ofService(s, upstream)...)
		r.take(s.Entry)
		own = cmp.Or(own, cloud.Owner{Cluster: s.Found.Input.Owner.Cluster, Former: s.Found.Input.Owner.Former})
		named = append(named, s.Found.Clusters...)
		switch {
		case s.Found.Observed.Found:
			ours = append(ours, s.Found.Observed.Owner.Cluster)
			if s.Found.Observed.Owner.Cluster == "" {
				r.Summary.WithoutCluster++
			}
		case s.Found.Input.ID != "": // the load balancer that the Service records names another cluster
			ours = append(ours, s.Found.Clusters...)
		}
	}
	r.OtherClusters = otherClusters(own, ours, named)
	if entry, ok := i.Firewall(ctx); ok {
		r.takeShared(entry)
	}
	r.conclude()
	return r
}

// otherClusters returns the other clusters that ownership tags name: those on our Services' load balancers. Where none of all
// load balancers that were found names our cluster, they are those on any, which are neighbours' else.
func otherClusters(own cloud.Owner, ours, named []string) []string {
	others := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return id == "" || own.HasCluster(id) })
	}
	mistaken := others(ours)
	if !slices.ContainsFunc(named, own.HasCluster) {
		mistaken = append(mistaken, others(named)...)
	}
	slices.Sort(mistaken)
	return slices.Compact(mistaken)
}

// takeShared takes what is done about something that all Services or Nodes share.
func (r *Report) takeShared(entry plan.Entry) {
	r.Differences = append(r.Differences, ofShared(entry)...)
	r.take(entry)
}

// take splits what is done about one subject into ownership tags and everything else.
func (r *Report) take(e plan.Entry) {
	var rest []cloud.Operation
	tagged := len(r.OwnershipTags)
	for _, op := range e.Operations {
		if op.Field != cloud.FieldOwnershipTags || op.Blocked != "" {
			rest = append(rest, op)
			continue
		}
		before, after := split(op.Before), split(op.After)
		r.OwnershipTags = append(r.OwnershipTags, OwnershipTag{Subject: e.Subject, Added: without(after, before), Removed: without(before, after), Operation: op})
	}
	e.Operations = rest
	if len(rest) == 0 && len(r.OwnershipTags) > tagged {
		r.OwnershipTags[tagged].Steps, e.Steps = e.Steps, nil
	}
	if len(rest) > 0 || len(e.Warnings) > 0 || e.Error != nil {
		if rest == nil {
			e.Operations = []cloud.Operation{}
		}
		r.Plans = append(r.Plans, e)
	}
}

// split returns the ownership tags of an operation, which cloud.Balancer.Fields has joined.
func split(ownershipTags string) []string {
	return strings.FieldsFunc(ownershipTags, func(r rune) bool { return r == ',' })
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(ownershipTag string) bool { return slices.Contains(others, ownershipTag) })
}

func balancer(s inspect.FoundService) Balancer {
	b := Balancer{Service: s.Service.Namespace + "/" + s.Service.Name, Error: plan.NewFailure(s.Err), Refused: s.Found.Conflicts}
	o := s.Found.Observed
	if !o.Found {
		return b
	}
	b.ID, b.Name, b.Evidence = o.ID, o.Balancer.Name, s.Found.Evidence
	for _, a := range o.Addresses {
		for _, text := range []string{a.IP, a.Hostname} {
			if text != "" {
				b.Addresses = append(b.Addresses, text)
			}
		}
	}
	return b
}
