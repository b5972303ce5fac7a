package balancer

import (
	"context"
	"slices"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// bulkList is all load balancers of one moment, and all managed certificates of Services, which are read later.
type bulkList struct {
	of           *Balancers
	balancers    []*hcloud.LoadBalancer
	certificates *cloud.BulkPart[[]*hcloud.Certificate]
}

// Observe implements cloud.BulkList.
func (l *bulkList) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return l.of.look(ctx, l, in)
}

// ListBalancers implements cloud.BulkLister.
func (b *Balancers) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	all, err := b.all(ctx)
	if err != nil {
		return nil, err
	}
	return &bulkList{b, all, cloud.NewBulkPart(func(ctx context.Context) ([]*hcloud.Certificate, error) {
		return b.managed(ctx, label.UID)
	})}, nil
}

func (b *Balancers) all(ctx context.Context) ([]*hcloud.LoadBalancer, error) {
	all, err := cloud.Whole(api.Pages(func(opts hcloud.ListOpts) ([]*hcloud.LoadBalancer, *hcloud.Response, error) {
		return b.API.LoadBalancer.List(ctx, hcloud.LoadBalancerListOpts{ListOpts: opts})
	}))
	if slices.ContainsFunc(all, isBlank) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, api.Failed("listing load balancers", err)
	}
	return all, nil
}

// isBlank reports whether an answer is no load balancer.
func isBlank(lb *hcloud.LoadBalancer) bool {
	return lb.ID == 0 || lb.LoadBalancerType == nil || lb.Location == nil
}

// managed returns the managed certificates with a label.
func (b *Balancers) managed(ctx context.Context, selector string) ([]*hcloud.Certificate, error) {
	all, err := cloud.Whole(api.Pages(func(opts hcloud.ListOpts) ([]*hcloud.Certificate, *hcloud.Response, error) {
		opts.LabelSelector = selector
		return b.API.Certificate.List(ctx, hcloud.CertificateListOpts{ListOpts: opts})
	}))
	if err != nil {
		return nil, api.Failed("listing certificates", err)
	}
	return slices.DeleteFunc(all, func(c *hcloud.Certificate) bool { return c.Type != hcloud.CertificateTypeManaged }), nil
}

// has reports whether a load balancer can be the Service's. One that it gave back has nothing of it.
func has(lb *hcloud.LoadBalancer, in cloud.Input) bool {
	return !in.Deleting || lb.Labels[label.UID] != "" || ownership.IsInName(lb.Name, in.Owner)
}

// found is the load balancer of a Service, nil where there is none.
type found struct {
	lb     *hcloud.LoadBalancer
	byName bool
	// duplicates are the ids of others that are the Service's too.
	duplicates []string
}

// find looks for the load balancer of the Service by id, by label and by name, which is unique in a project.
func (b *Balancers) find(ctx context.Context, from *bulkList, in cloud.Input) (found, error) {
	if from != nil {
		return choose(from.balancers, in), nil
	}
	lb, err := byID(ctx, b.API, in.ID)
	if err != nil {
		return found{}, err
	}
	if lb != nil {
		if f := choose([]*hcloud.LoadBalancer{lb}, in); f.lb != nil {
			return f, nil
		}
	}
	all, err := b.all(ctx)
	return choose(all, in), err
}

// choose picks the load balancer of the Service from a list.
func choose(all []*hcloud.LoadBalancer, in cloud.Input) found {
	all = slices.DeleteFunc(slices.Clone(all), func(lb *hcloud.LoadBalancer) bool { return !has(lb, in) })
	search := ownership.Search{Input: in, Names: []string{desired.NameOf(in.Spec)}}
	chosen := ownership.Choose(search, all, func(lb *hcloud.LoadBalancer) ownership.Candidate {
		return ownership.Candidate{ID: idOf(lb), Name: lb.Name, Owner: label.Owner(lb.Labels, in.Owner)}
	})
	f := found{byName: chosen.ByName, duplicates: chosen.Duplicates}
	if chosen.At >= 0 {
		f.lb = all[chosen.At]
	}
	return f
}

// byID reads a load balancer, nil when there is none, or the text is no id.
func byID(ctx context.Context, client *hcloud.Client, text string) (*hcloud.LoadBalancer, error) {
	id, ok := api.ID(text)
	if !ok {
		return nil, nil //nolint:nilnil // as the client has it
	}
	lb, _, err := client.LoadBalancer.GetByID(ctx, id)
	if err == nil && lb != nil && (lb.ID != id || isBlank(lb)) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, api.Failed("reading load balancer "+text, err)
	}
	return lb, nil
}

// findings finds out what Normalize needs: the limits of the type that is asked for, and the ids of
// certificates that have names.
func (b *Balancers) findings(ctx context.Context, in cloud.Input, lb *hcloud.LoadBalancer) (found desired.Findings, err error) {
	if in.Deleting {
		return found, nil
	}
	of := &hcloud.LoadBalancerType{}
	if lb != nil {
		of = lb.LoadBalancerType
	}
	if wanted := desired.SizeOf(in.Spec, of.Name); wanted != of.Name {
		types, err := cloud.NetworkOf[[]*hcloud.LoadBalancerType]{Reader: b}.Of(ctx, in.Environment)
		if err != nil {
			return found, err
		}
		found.SetType(types, wanted)
	} else {
		found.SetLimits(of)
	}
	found.Certificates = map[string]int64{}
	for _, item := range desired.NamedCertificates(in.Spec) {
		certificate, _, err := b.API.Certificate.GetByName(ctx, item)
		if err == nil && certificate != nil && (certificate.ID == 0 || certificate.Name != item) {
			err = cloud.ErrIncomplete
		}
		if err != nil {
			return found, api.Failed("finding certificate "+item, err)
		}
		if certificate != nil {
			found.Certificates[item] = certificate.ID
		}
	}
	return found, nil
}

// ReadNetwork is that of cloud.NetworkOf: the types of load balancers are the same for all Services.
func (b *Balancers) ReadNetwork(ctx context.Context) ([]*hcloud.LoadBalancerType, error) {
	types, err := cloud.Whole(api.Pages(func(opts hcloud.ListOpts) ([]*hcloud.LoadBalancerType, *hcloud.Response, error) {
		return b.API.LoadBalancerType.List(ctx, hcloud.LoadBalancerTypeListOpts{ListOpts: opts})
	}))
	if err == nil && len(types) == 0 {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, api.Failed("listing load balancer types", err)
	}
	return types, nil
}

// ListOwned implements cloud.OwnedLister.
func (b *Balancers) ListOwned(ctx context.Context, us cloud.Owner) ([]cloud.OwnedBalancer, error) {
	all, err := b.all(ctx)
	var list []cloud.OwnedBalancer
	for _, lb := range all {
		list = append(list, cloud.OwnedBalancer{
			ID: idOf(lb), Name: lb.Name, Owners: []cloud.Owner{label.Owner(lb.Labels, us)}, Created: lb.Created, Addresses: addresses(cloud.Spec{}, lb),
		})
	}
	return list, err
}
