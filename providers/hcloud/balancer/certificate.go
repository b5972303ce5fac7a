package balancer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
// which wait for no certificate. What another load balancer uses too is left where this Service does not want it.
func (s state) certificateResources(change cloud.Change) (present, wanted []cloud.Resource) {
	if change.After != nil {
		wanted = s.wantedCertificate(change.Input.Spec, *change.After)
	}
	for _, c := range s.certificates {
		state, key := issued, domainsOf(c)
		if isFailed(c) {
			state = failed
		}
		if s.certificateOf(key) != c {
			key += fmt.Sprintf(" %d", c.ID)
		}
		isWanted := slices.ContainsFunc(wanted, func(w cloud.Resource) bool { return w.Key == key })
		if isWanted || !isShared(c, s.lb) {
			present = append(present, cloud.Resource{
				Kind: kindCertificate, Key: key, ID: strconv.FormatInt(c.ID, 10),
				Fields: cloud.FieldsOf(fieldName.Is(c.Name), fieldIssuance.Is(state), fieldLabels.Is(c.Labels)),
			})
		}
	}
	notTarget := func(o cloud.Operation) bool { return o.Kind != cloud.KindTarget }
	if change.After != nil && len(change.Operations) > 0 && !slices.ContainsFunc(change.Operations, notTarget) {
		return present, present
	}
	return present, wanted
}

// certificatesOf returns the managed certificates of the Service, where there can be any. One with its UID that names another
// cluster is that one's, also where the load balancer uses it. What another load balancer uses is not the Service's to delete.
func (b *Balancers) certificatesOf(ctx context.Context, from *bulkList, in cloud.Input, lb *hcloud.LoadBalancer) ([]*hcloud.Certificate, error) {
	if !worthReading(in, lb) {
		return nil, nil
	}
	var all []*hcloud.Certificate
	var err error
	if from != nil {
		all, err = from.certificates.Get(ctx)
	} else {
		all, err = b.managed(ctx, label.UID+"="+in.Owner.UID)
	}
	return slices.DeleteFunc(slices.Clone(all), func(c *hcloud.Certificate) bool {
		owner := label.Owner(c.Labels, in.Owner)
		return ownership.Of(owner, in.Owner) != ownership.Ours || in.Deleting && isShared(c, lb)
	}), err
}

// worthReading reports whether the managed certificates of the Service are to be read:
//
//	the Service has no UID                                       no: nobody would know them
//	the load balancer       the Service
//	is there                is not given up                      yes: what it does not want any more is deleted
//	is there, and goes      is deleted, its load balancer uses   yes: it is deleted after the load balancer
//	                         one
//	is there, and goes      is deleted, its load balancer uses   not before the load balancer is gone: a deletion is
//	                         none                                 confirmed by a look, and what it finds is deleted too
//	is there, and stays     is deleted, with retain, or the      yes: nobody looks again
//	                         cloud protects its load balancer
//	is not there            is deleted, or wants one             yes
//	is not there            wants none                           no: there is no load balancer that used it
func worthReading(in cloud.Input, lb *hcloud.LoadBalancer) bool {
	switch {
	case in.Owner.UID == "":
		return false
	case lb == nil:
		return in.Deleting || desired.IsManaged(in.Spec)
	case !in.Deleting || in.Retained || lb.Protection.Delete:
		return true
	}
	return slices.ContainsFunc(lb.Services, func(service hcloud.LoadBalancerService) bool { return len(service.HTTP.Certificates) > 0 })
}

// isShared reports whether another load balancer uses a certificate too.
func isShared(c *hcloud.Certificate, lb *hcloud.LoadBalancer) bool {
	return slices.ContainsFunc(c.UsedBy, func(user hcloud.CertificateUsedByRef) bool {
		return user.Type == hcloud.CertificateUsedByRefTypeLoadBalancer && (lb == nil || user.ID != lb.ID)
	})
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
		present := s.certificateOf(names)
		issuance, labels := issued, map[string]string{}
		switch {
		case present != nil:
			labels = present.Labels
			if s.resting[present.ID] || isFailed(present) && isShared(present, s.lb) {
				issuance = failed
			}
		case desired.Staging.Bool(spec.Options):
			labels[labelStaging] = yes
		}
		name := s.certificateName(spec, names)
		if present != nil && isShared(present, s.lb) {
			name = present.Name // clusters that were restored from one backup would write name and labels in turn
		} else {
			labels = label.With(labels, label.Tags(label.Of(spec.Owner, false)))
		}
		r := cloud.Resource{Kind: kindCertificate, Key: names, Fields: cloud.FieldsOf(
			fieldName.Is(name), fieldIssuance.Is(issuance), fieldDomains.Is(desired.Items(names)), fieldLabels.Is(labels),
		)}
		return []cloud.Resource{r}
	}
	return nil
}

// certificateName is the name of a managed certificate for these domains. Names are unique in a project: where another load balancer goes on
// using one of the Service's certificates for other domains, which has the name, the new one gets another name.
func (s state) certificateName(spec cloud.Spec, domains string) string {
	name := cmp.Or(desired.ManagedName.In(spec.Options), "ccm-managed-certificate-"+spec.Owner.UID)
	taken := func(c *hcloud.Certificate) bool {
		return c.Name == name && domainsOf(c) != domains && isShared(c, s.lb)
	}
	if slices.ContainsFunc(s.certificates, taken) {
		sum := sha256.Sum256([]byte(domains))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return name
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
