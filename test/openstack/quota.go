package openstack

import (
	"context"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// LimitBalancers sets quotas of octavia, for instance {"load_balancer": 0}; -1 is unlimited,
// which is what projects of the lab start with. Octavia answers 403 above them.
func (p *Project) LimitBalancers(ctx context.Context, quota map[string]int) error {
	return put(ctx, p.Admin.Balancer, "lbaas/quotas/"+p.ID, object{"quota": quota})
}

// LimitNetwork sets quotas of neutron, for instance {"floatingip": 0}; -1 is unlimited.
// Neutron answers 409 above them.
func (p *Project) LimitNetwork(ctx context.Context, quota map[string]int) error {
	return put(ctx, p.Admin.Network, "quotas/"+p.ID, object{"quota": quota})
}

// Revoke ends a token. The services of the lab remember for 5 s that a token was good; after
// that they answer 401.
func (l *Lab) Revoke(ctx context.Context, token string) error {
	client := l.Admin.Identity
	_, err := client.Delete(ctx, client.ServiceURL("auth", "tokens"), &gophercloud.RequestOpts{
		MoreHeaders: map[string]string{"X-Subject-Token": token},
	})
	if err != nil {
		return fmt.Errorf("revoking a token: %s", strings.ReplaceAll(err.Error(), token, "…"))
	}
	return nil
}
