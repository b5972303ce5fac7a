package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Floating looks at where a floating IP is to be taken from.
func (c *Checker) Floating(ctx context.Context, spec cloud.Spec) error {
	where, id := c.Rules.PlacementOf(spec), c.Rules.FloatingNetwork(spec)
	if id == "" || where.FloatingNetwork == "" && where.FloatingSubnet == "" && where.FloatingSubnetName+where.FloatingSubnetTags == "" {
		return nil
	}
	q := &inquiry{checker: c, spec: spec}
	found, err := exists(ctx, q, option.FloatingNetwork, id, "network", reading[neutron.External](c, true, "network", "networks", id))
	switch {
	case err != nil:
		return err
	case found == nil:
		return errors.Join(q.problems...)
	case found.External != nil && !*found.External:
		q.refuse(option.FloatingNetwork.Name, id, "want an external network")
	case where.FloatingSubnet != "" && !slices.Contains(found.Subnets, where.FloatingSubnet):
		q.refuse(option.FloatingSubnet.Name, where.FloatingSubnet, "network "+id+" has no such subnet")
	case where.FloatingSubnet == "":
		_, err = c.FloatingSubnets(ctx, spec)
	}
	return errors.Join(append(q.problems, err)...)
}

// FloatingSubnets returns the subnets to take a floating IP from, one after the other; "" leaves
// the choice to Neutron.
func (c *Checker) FloatingSubnets(ctx context.Context, spec cloud.Spec) ([]string, error) {
	where, network := c.Rules.PlacementOf(spec), c.Rules.FloatingNetwork(spec)
	if where.FloatingSubnet != "" || where.FloatingSubnetName == "" && where.FloatingSubnetTags == "" {
		return []string{where.FloatingSubnet}, nil
	}
	all, err := api.ListAll[neutron.Subnet](ctx, c.Network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return nil, fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	match, ok := option.CompilePattern(cmp.Or(where.FloatingSubnetName, "*"))
	var ids []string
	for _, s := range all {
		if ok && match(s.Name) && option.MatchTags(where.FloatingSubnetTags, s.Tags) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil, &cloud.Invalid{
			Field: option.FloatingName.Name, Value: strings.TrimSpace(where.FloatingSubnetName + " " + where.FloatingSubnetTags),
			Want: "no subnet of network " + network + " has such a name and such tags",
		}
	}
	return ids, nil
}
