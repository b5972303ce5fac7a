package balancer

import (
	"cmp"
	"context"
	"fmt"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// Observe implements cloud.Balancers.
func (l *Balancers) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return l.observe(ctx, nil, in)
}

// observe looks for the balancer in a bulk list, or in the cloud where that is nil.
func (l *Balancers) observe(ctx context.Context, from *bulkList, in cloud.Input) (cloud.Observed, error) {
	f, err := l.find(ctx, from, in)
	if err != nil {
		return cloud.Observed{}, err
	}
	var o cloud.Observed
	if f.lb != nil {
		o = l.Observed(f.lb, in.Spec)
		o.Native = nativeBalancer.Seal(&native{LoadBalancer: f.lb, alone: from != nil && !owner.SharesService(f.lb, f.all)})
		o.ByName, o.Rivals, o.Duplicates = f.byName, f.rivals, f.duplicates
	} else if in.Deleting && !in.Removed && in.Beside == nil && identifier.IsUUID(in.ID) {
		// A process may have ended between the deletion of the balancer and that of its tag.
		o.Orphans = in.Owner.UID != "" && l.Tagging.Carriers(ctx, in.Owner) == 0
	}
	return o, l.addCertificate(ctx, in, f.lb, &o)
}

// Observed decodes an existing balancer.
func (l *Balancers) Observed(lb *godo.LoadBalancer, spec cloud.Spec) cloud.Observed {
	o := cloud.Observed{
		Found:     true,
		ID:        lb.ID,
		Named:     ownership.IsInName(lb.Name, spec.Owner),
		Owner:     l.Tags.Owner(lb, spec.Owner),
		Addresses: object.Addresses(lb),
		Balancer:  object.View(lb, l.Managed(object.KindOf(lb), spec)),
		Findings:  desired.Found.Seal(desired.Findings{Type: object.KindOf(lb), Stack: cmp.Or(lb.NetworkStack, option.StackIPv4)}),
		Native:    nativeBalancer.Seal(&native{LoadBalancer: lb}),
	}
	// An answer without a list of tags says nothing about them: nothing to repair.
	if o.Balancer.OwnershipTags = l.Tags.Of(spec.Owner); lb.Tags != nil {
		o.Balancer.OwnershipTags, _ = l.Tags.Read(lb.Tags, spec.Owner)
	}
	switch lb.Status {
	case "active":
		o.State = cloud.BalancerActive
	case "new":
		o.State = cloud.BalancerPending
	default:
		o.State, o.Detail = cloud.BalancerFailed, fmt.Sprintf("its status is %q", lb.Status)
	}
	return o
}

// addCertificate finds out which certificate a REGIONAL balancer shall have. A token that may
// not read certificates is a fact and no error: it must not keep a balancer from deletion. The successor of a certificate that upstream's
// key names is recorded there; one that is given by name or portably needs no record.
func (l *Balancers) addCertificate(ctx context.Context, in cloud.Input, lb *godo.LoadBalancer, o *cloud.Observed) error {
	in.Findings = o.Findings
	if s, _ := l.ShapeOf(in); s.Kind != config.TypeRegional {
		return nil
	}
	present := ""
	if lb != nil {
		present = object.Certificate(lb)
	}
	asked, name := desired.Certificate(in.Options)
	id, err := l.Certificates.Find(ctx, asked, name, present)
	found := desired.Found.Open(in.Findings)
	if found.CertificatesForbidden = cloud.FailureUnauthorized == api.Classify(err).Class; err != nil && !found.CertificatesForbidden {
		return err
	}
	found.Certificate = id
	o.Findings = desired.Found.Seal(found)
	if recorded := option.CertificateID.In(in.Options); recorded != "" && recorded != id {
		o.Record = map[string]string{option.CertificateID.Name: id}
	}
	return nil
}
