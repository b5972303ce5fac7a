package balancer

import (
	"context"
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
)

// Coexist implements cloud.Replacer. Two balancers of a Service can be there at a time unless it
// asks for one certain address for both.
func (l *Balancers) Coexist(in cloud.Input, before cloud.Observed) string {
	ip := desired.Address(in.Options)
	if lb := nativeBalancer.Open(before.Native); lb != nil && ip != "" && ip == lb.IP {
		return "both would have the address " + ip
	}
	return ""
}

// checking is the key in the context of a request that makes nothing although it is a POST.
type checking struct{}

// ReadOnly says which requests only read.
func ReadOnly(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Context().Value(checking{}) != nil
}

// Check implements cloud.Checker: the API looks at the request of a creation and makes nothing. It
// does the same before it makes one, so there is no need to ask unless another balancer is deleted
// first.
func (l *Balancers) Check(ctx context.Context, in cloud.Input, before cloud.Observed) error {
	if !before.Found {
		return nil
	}
	in.Beside = &before // for a name that is free
	b, _, err := l.Normalize(in)
	if err != nil {
		return err
	}
	request, err := object.Request(nil, b, l.Asked(in.Spec))
	if err != nil {
		return fmt.Errorf("checking balancer %s: %w", b.Name, err)
	}
	request.ValidateOnly = true
	ctx = context.WithValue(ctx, checking{}, true)
	if l.Coexist(in, before) != "" {
		request.IP = "" // is free when the present one is gone
	}
	_, _, err = l.API.Create(ctx, request)
	if err == nil || api.Classify(err).Class == cloud.FailureQuota {
		return nil // the present one gives its place free
	}
	return fmt.Errorf("checking balancer %s: %w", b.Name, err)
}
