package balancer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// labelStaging has the staging CA issue a certificate.
const labelStaging = "HC-Use-Staging-CA"

// What is known of the issuance of a certificate: it failed, or it goes on or has ended well.
const (
	failed = "failed"
	issued = "issued"
)

// certificateResources are the managed certificates of the Service. Those stay as they are while only targets change,
// which wait for no certificate.
func (s state) certificateResources(change cloud.Change) (present, wanted []cloud.Resource) {
	for _, c := range s.certificates {
		state, key := issued, domainsOf(c)
		if isFailed(c) {
			state = failed
		}
		if s.certificateOf(key) != c {
			key += fmt.Sprintf(" %d", c.ID)
		}
		present = append(present, cloud.Resource{
			Kind: kindCertificate, Key: key, ID: strconv.FormatInt(c.ID, 10),
			Fields: map[string]any{"name": c.Name, "issuance": state, "labels": c.Labels},
		})
	}
	notTarget := func(o cloud.Operation) bool { return o.Kind != cloud.KindTarget }
	switch {
	case change.After == nil:
		return present, nil
	case len(change.Operations) > 0 && !slices.ContainsFunc(change.Operations, notTarget):
		return present, present
	}
	return present, s.wantedCertificate(change.Input.Spec, *change.After)
}

// certificatesOf returns the managed certificates of the Service, where there can be any. One with its UID that names another
// cluster is a restored cluster's, unless the load balancer uses it: then the cluster has got another name.
func (b *Balancers) certificatesOf(ctx context.Context, in cloud.Input, found []*hcloud.LoadBalancer) ([]*hcloud.Certificate, error) {
	us := in.Owner
	if us.UID == "" || len(found) == 0 && !in.Deleting && !desired.IsManaged(in.Spec) {
		return nil, nil
	}
	list, listed := in.BulkList.(bulk)
	all := slices.Clone(list.certificates)
	if !listed {
		var err error
		if all, err = b.managed(ctx, label.UID+"="+us.UID); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(c *hcloud.Certificate) bool {
		owner := label.Owner(c.Labels, us)
		used := slices.ContainsFunc(found, func(lb *hcloud.LoadBalancer) bool { return uses(lb, c) })
		ours := ownership.Of(owner, us) == ownership.Ours || used && ownership.IsTagged(owner, us)
		return !ours
	}), nil
}

// domainsOf are the domains of a certificate, as annotations have them.
func domainsOf(c *hcloud.Certificate) string {
	list, _ := desired.LowerList(strings.Join(c.DomainNames, ","))
	return list
}

// certificateOf is the managed certificate of these domains. Of several it is one that is used; the
// others are not wanted.
func (s state) certificateOf(names string) (first *hcloud.Certificate) {
	for _, c := range s.certificates {
		if domainsOf(c) == names && (first == nil || s.uses(c) && !s.uses(first)) {
			first = c
		}
	}
	return first
}

// wantedCertificate is the certificate that a listener of the view uses, if it is one that is made for
// the Service.
func (s state) wantedCertificate(spec cloud.Spec, v cloud.Balancer) []cloud.Resource {
	for _, l := range v.Listeners {
		names, managed := strings.CutPrefix(l.ProviderFields[cloud.FieldCertificate], desired.ManagedPrefix)
		if !managed {
			continue
		}
		labels, issuance, present := map[string]string{}, issued, s.certificateOf(names)
		switch {
		case present != nil:
			labels = present.Labels
			if s.resting[present.ID] {
				issuance = failed
			}
		case desired.Staging.Bool(spec.Options):
			labels[labelStaging] = yes
		}
		owner := spec.Owner
		r := cloud.Resource{Kind: kindCertificate, Key: names, Fields: map[string]any{
			"name": cmp.Or(desired.ManagedName.In(spec.Options), "ccm-managed-certificate-"+owner.UID), "issuance": issuance,
			"domain_names": desired.Items(names), "labels": label.With(labels, label.Tags(label.Of(owner, false))),
		}}
		return []cloud.Resource{r}
	}
	return nil
}

// issuedAgain is the least time between two issuances of a certificate that fail: the authority refuses those who
// ask more often.
const issuedAgain = 10 * time.Minute

// resting returns the certificates whose issuance failed a shorter time ago. When it ended only its action says. One
// whose actions cannot be read rests too: the targets need not wait for that.
func (b *Balancers) resting(ctx context.Context, known cloud.Known, certificates []*hcloud.Certificate) map[int64]bool {
	resting := map[int64]bool{}
	for _, c := range certificates {
		if known.Deleting || !isFailed(c) {
			continue
		}
		opts := hcloud.ActionListOpts{ListOpts: hcloud.ListOpts{Page: 1, PerPage: 1}, Sort: []string{"finished:desc"}}
		actions, _, err := b.API.Certificate.Action.ListFor(ctx, c, opts)
		resting[c.ID] = err != nil || len(actions) > 0 && time.Since(actions[0].Finished) < issuedAgain
	}
	return resting
}

// uses reports whether the load balancer uses a certificate.
func (s state) uses(c *hcloud.Certificate) bool { return s.lb != nil && uses(s.lb, c) }

func uses(lb *hcloud.LoadBalancer, c *hcloud.Certificate) bool {
	return slices.ContainsFunc(lb.Services, func(service hcloud.LoadBalancerService) bool {
		return slices.ContainsFunc(service.HTTP.Certificates, func(used *hcloud.Certificate) bool { return used.ID == c.ID })
	})
}

func isFailed(c *hcloud.Certificate) bool {
	return c.Status != nil && c.Status.Issuance == hcloud.CertificateStatusTypeFailed
}
