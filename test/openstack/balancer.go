package openstack

import (
	"context"
	"fmt"
	"testing"
)

// WaitBalancer waits until a load balancer is ACTIVE: two to five seconds after its creation.
func (p *Project) WaitBalancer(t testing.TB, id string) {
	t.Helper()
	err := until(t.Context(), "the load balancer "+id, func() (bool, error) {
		var answer map[string]object
		_, err := p.Balancer.Get(t.Context(), p.Balancer.ServiceURL("lbaas", "loadbalancers", id), &answer, nil)
		status := text(answer["loadbalancer"], "provisioning_status")
		if err == nil && status == "ERROR" {
			err = fmt.Errorf("the load balancer %s is in ERROR", id)
		}
		return status == "ACTIVE", err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// DeleteBalancers deletes all load balancers of the project and waits until they are gone.
func (p *Project) DeleteBalancers(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	if err := p.removeBalancers(ctx); err != nil {
		t.Fatal(err)
	}
}
