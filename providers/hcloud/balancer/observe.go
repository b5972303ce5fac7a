package balancer

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// state is what the API says of a load balancer and of the managed certificates of its Service.
type state struct {
	lb           *hcloud.LoadBalancer // nil when there is none
	certificates []*hcloud.Certificate
	// resting are those of them whose issuance failed a short time ago.
	resting map[int64]bool
	// own are the keys of services and targets that are the Service's, nil when all are.
	own map[string]bool
	// foreign is how many targets are not.
	foreign int
	// ids are the machines behind targets, by the key of the target.
	ids map[string]cloud.InstanceID
}

var nativeState cloud.NativeOf[state]

// Observe implements cloud.BalancerReader.
func (b *Balancers) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return b.look(ctx, nil, in)
}

// look looks for the load balancer in a bulk list, or in the cloud where that is nil.
func (b *Balancers) look(ctx context.Context, from *bulkList, in cloud.Input) (cloud.Observed, error) {
	f, err := b.find(ctx, from, in)
	if err != nil {
		return cloud.Observed{}, err
	}
	certificates, err := b.certificatesOf(ctx, from, in, f.lb)
	if err != nil {
		return cloud.Observed{}, err
	}
	s := state{lb: f.lb, certificates: certificates, resting: b.resting(ctx, in.Known, certificates)}
	found, err := b.findings(ctx, in, f.lb)
	switch {
	case err != nil:
		return cloud.Observed{}, err
	case f.lb == nil:
		return cloud.Observed{Findings: desired.Found.Seal(found), Orphans: len(certificates) > 0, Native: nativeState.Seal(s)}, nil
	}
	o := b.observe(in, s, f.byName, found)
	o.Duplicates = f.duplicates
	return o, nil
}

// observe fills in what is known of a load balancer.
func (b *Balancers) observe(in cloud.Input, s state, byName bool, found desired.Findings) cloud.Observed {
	lb := s.lb
	o := cloud.Observed{
		Found: true, ID: idOf(lb), ByName: byName, Named: ownership.IsInName(lb.Name, in.Owner), State: cloud.BalancerActive,
		Owner: label.Owner(lb.Labels, in.Owner),
	}
	adopted := isAdopted(in.Spec, lb, byName)
	o.Protected = lb.Protection.Delete && !adopted
	s.ids = machines(in.Environment, lb)
	if adopted {
		s.own = ownParts(in, s)
		for _, target := range lb.Targets {
			if !s.owns(targetKey(target)) {
				s.foreign++
			}
		}
		found.SetAdopted(s.foreign)
	}
	o.Balancer = b.view(in.Spec, s)
	found.Present, found.Kept, found.Stays = o.Balancer.Fields(), keptOf(lb, in.Owner, adopted), b.staysElsewhere(s)
	o.Addresses, o.Findings, o.Native = addresses(in.Spec, lb), desired.Found.Seal(found), nativeState.Seal(s)
	if found.Stays {
		o.Addresses = slices.DeleteFunc(o.Addresses, func(a cloud.BalancerAddress) bool { return isIn(lb, a.IP) })
	}
	return o
}

// keptOf names what stays as it is where the Service says nothing of it: what our label says, and before
// there are labels of ours what is unlike the default; all of it where the load balancer was there before the Service.
func keptOf(lb *hcloud.LoadBalancer, us cloud.Owner, adopted bool) (kept []string) {
	if adopted {
		return []string{cloud.FieldScope, cloud.FieldAlgorithm, cloud.FieldName}
	}
	if tags := label.Tags(lb.Labels); slices.ContainsFunc(tags, func(tag string) bool { return strings.HasPrefix(tag, annotation.Prefix) }) {
		return label.Split(lb.Labels[label.Kept])
	}
	if string(lb.Algorithm.Type) != desired.Algorithm.Default {
		kept = append(kept, cloud.FieldAlgorithm)
	}
	if !lb.PublicNet.Enabled {
		kept = append(kept, cloud.FieldScope)
	}
	if lb.Name != cloud.UIDName(us.UID) {
		kept = append(kept, cloud.FieldName)
	}
	return kept
}

// isAdopted reports whether the load balancer was there before the Service, which named it.
func isAdopted(spec cloud.Spec, lb *hcloud.LoadBalancer, byName bool) bool {
	taken := byName && desired.Name.Has(spec.Options) && lb.Name == desired.NameOf(spec) && lb.Labels[label.UID] == ""
	return (taken || lb.Labels[label.Adopted] == yes) && !desired.Whole.Bool(spec.Options)
}

// ownParts are the services and targets of an adopted load balancer that are the Service's: those
// that were recorded, and those that it asks for.
func ownParts(in cloud.Input, s state) map[string]bool {
	own := map[string]bool{}
	for item := range strings.SplitSeq(desired.Parts.In(in.Options), ",") {
		own[item] = true
	}
	there := map[string]bool{}
	for _, service := range s.lb.Services {
		key := serviceKey(service.ListenPort)
		asked := slices.ContainsFunc(in.Ports, func(p cloud.Port) bool { return p.Port == service.ListenPort })
		there[key] = own[key] || asked && !in.Deleting
	}
	for _, target := range s.lb.Targets {
		key := targetKey(target)
		candidate := slices.ContainsFunc(in.Candidates, func(t cloud.Target) bool { return t.InstanceID == s.ids[key] })
		there[key] = own[key] || candidate
	}
	maps.DeleteFunc(there, func(_ string, own bool) bool { return !own })
	return there
}
