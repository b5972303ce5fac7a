package balancer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// labelStaging has the staging CA issue a certificate.
const labelStaging = "HC-Use-Staging-CA"

// What is known of the issuance of a certificate: it failed, or it goes on or has ended well.
const (
	failed = "failed"
	issued = "issued"
)

// certificateResources are the managed certificates of the Service as they are.
func (s state) certificateResources() []cloud.Resource {
	var list []cloud.Resource
	for _, c := range s.certificates {
		state, key := issued, domainsOf(c)
		if isFailed(c) {
			state = failed
		}
		if s.certificateOf(key) != c {
			key += fmt.Sprintf(" %d", c.ID)
		}
		list = append(list, cloud.Resource{
			Kind: kindCertificate, Key: key, ID: strconv.FormatInt(c.ID, 10), Fields: map[string]any{"name": c.Name, "issuance": state},
		})
	}
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
// the Service. Another one that has its name now gives it up first, which is what Native names.
func (s state) wantedCertificate(spec cloud.Spec, v cloud.Balancer) []cloud.Resource {
	for _, l := range v.Listeners {
		names, managed := strings.CutPrefix(l.ProviderFields[cloud.FieldCertificate], managedPrefix)
		if !managed {
			continue
		}
		uid := spec.Ref.Owner.UID
		labels := map[string]string{labelUID: uid}
		if staging.Bool(spec.Options) {
			labels[labelStaging] = yes
		}
		r := cloud.Resource{Kind: kindCertificate, Key: names, Fields: map[string]any{
			"name": cmp.Or(managedName.In(spec.Options), "ccm-managed-certificate-"+uid), "issuance": issued,
			"domain_names": items(names), "labels": labels,
		}}
		present := s.certificateOf(names)
		if present != nil && s.resting[present.ID] {
			r.Fields["issuance"] = failed
		}
		for _, c := range s.certificates {
			if c.Name == r.Fields["name"] && present != c {
				r.Native = c
			}
		}
		return []cloud.Resource{r}
	}
	return nil
}

// onlyTargets reports whether a change is about targets alone, which wait for no certificate: those of
// the Service stay as they are.
func onlyTargets(change cloud.Change) bool {
	return len(change.Operations) > 0 && !slices.ContainsFunc(change.Operations, func(o cloud.Operation) bool { return o.Kind != cloud.KindTarget })
}

// issuedAgain is the least time between two issuances of a certificate that fail: the authority refuses those who
// ask more often.
const issuedAgain = 10 * time.Minute

// resting returns the certificates whose issuance failed a shorter time ago. When it ended only its action says. One
// whose actions cannot be read rests too: the targets need not wait for that.
func (b *Balancers) resting(ctx context.Context, spec cloud.Spec, certificates []*hcloud.Certificate) map[int64]bool {
	resting := map[int64]bool{}
	for _, c := range certificates {
		if spec.Deleting || !isFailed(c) {
			continue
		}
		opts := hcloud.ActionListOpts{ListOpts: hcloud.ListOpts{Page: 1, PerPage: 1}, Sort: []string{"finished:desc"}}
		actions, _, err := b.API.Certificate.Action.ListFor(ctx, c, opts)
		resting[c.ID] = err != nil || len(actions) > 0 && time.Since(actions[0].Finished) < issuedAgain
	}
	return resting
}

// served returns a service with why it has to wait: the API takes no certificate whose issuance failed.
func (s state) served(r cloud.Resource) cloud.Resource {
	ids, _ := r.Fields["certificates"].([]any)
	for _, c := range s.certificates {
		if !isFailed(c) || s.uses(c) || s.certificateOf(domainsOf(c)) != c || !slices.Contains(ids, any(cloud.IDOf{Kind: kindCertificate, Key: domainsOf(c)})) {
			continue
		}
		message := "the managed certificate could not be issued, and " + r.Key + " waits for it"
		if c.Status.Error != nil {
			message += fmt.Sprintf(": %s (%s)", c.Status.Error.Message, c.Status.Error.Code)
		}
		r.Problem = &cloud.Waiting{After: issuedAgain, Warnings: []cloud.Warning{{Field: domains.Name, Message: message}}}
	}
	return r
}

// uses reports whether the load balancer uses a certificate.
func (s state) uses(c *hcloud.Certificate) bool {
	return s.lb != nil && slices.ContainsFunc(s.lb.Services, func(service hcloud.LoadBalancerService) bool {
		return slices.ContainsFunc(service.HTTP.Certificates, func(used *hcloud.Certificate) bool { return used.ID == c.ID })
	})
}

func isFailed(c *hcloud.Certificate) bool {
	return c.Status != nil && c.Status.Issuance == hcloud.CertificateStatusTypeFailed
}

// taken returns the error of a name, which something else has.
func taken(err error, key annotation.Key, wanted cloud.Resource) error {
	if hcloud.IsError(err, hcloud.ErrorCodeUniquenessError) {
		return &cloud.Invalid{Field: key.Name, Value: fmt.Sprint(wanted.Fields["name"]), Want: "another one has this name: choose another name, or delete the other one"}
	}
	return err
}

func (b *Balancers) createCertificate(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	if err := b.freeName(ctx, wanted); err != nil {
		return "", err
	}
	request := body(wanted, "name", "domain_names", "labels")
	request["type"] = hcloud.CertificateTypeManaged
	answer, err := b.send(ctx, http.MethodPost, "/certificates", request)
	if err != nil {
		return "", taken(err, managedName, wanted)
	}
	if answer.Certificate.ID == 0 {
		return "", missing("creating the certificate")
	}
	return strconv.FormatInt(answer.Certificate.ID, 10), answer.goes()
}

// freeName renames another certificate of the Service that has the name.
func (b *Balancers) freeName(ctx context.Context, wanted cloud.Resource) error {
	before, taken := wanted.Native.(*hcloud.Certificate)
	if !taken {
		return nil
	}
	id := strconv.FormatInt(before.ID, 10)
	_, err := b.send(ctx, http.MethodPut, "/certificates/"+id, map[string]any{"name": before.Name + "-" + id})
	return err
}

// updateCertificate renames a certificate, or has one issued again.
func (b *Balancers) updateCertificate(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	path := "/certificates/" + present.ID
	for _, field := range fields {
		if field == "name" {
			if err := b.freeName(ctx, wanted); err != nil {
				return err
			}
			if _, err := b.send(ctx, http.MethodPut, path, body(wanted, "name")); err != nil {
				return taken(err, managedName, wanted)
			}
			continue
		}
		answer, err := b.send(ctx, http.MethodPost, path+"/actions/retry", nil)
		if err != nil {
			return fmt.Errorf("having the certificate issued again: %w", err)
		}
		return answer.goes()
	}
	return nil
}

func (b *Balancers) deleteCertificate(ctx context.Context, present cloud.Resource) error {
	return b.remove(ctx, "/certificates/"+present.ID)
}
