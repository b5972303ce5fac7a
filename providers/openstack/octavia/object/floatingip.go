package object

import (
	"context"
	"fmt"
	"maps"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// FloatingIP is what the driver uses of a floating IP of Neutron.
type FloatingIP struct {
	ID          string `json:"id"`
	Address     string `json:"floating_ip_address"`
	Port        string `json:"port_id"`
	Description string `json:"description"`
	Network     string `json:"floating_network_id"`
}

// Identifier returns the id.
func (f FloatingIP) Identifier() string { return f.ID }

// FloatingIPs lists floating IPs of the project: administrators are shown everybody's.
func (r *Reader) FloatingIPs(ctx context.Context, query url.Values) ([]FloatingIP, error) {
	maps.Copy(query, r.OfProject())
	ips, err := api.ListAll[FloatingIP](ctx, r.Network, "floatingips", "floatingips", query)
	if err != nil {
		return nil, fmt.Errorf("listing floating IPs: %w", err)
	}
	return ips, nil
}

// OfProject limits a list to our own project: to an administrator all of them are shown.
func (r *Reader) OfProject() url.Values {
	query := url.Values{}
	if r.Project != "" {
		query.Set("project_id", r.Project)
	}
	return query
}
