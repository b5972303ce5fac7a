package openstack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
)

// kind is one kind of object that a project can own.
type kind struct {
	name, path, list string
	// show are the fields that a line of the inventory has besides the id: those somebody sets,
	// no statuses and no times.
	show []string
}

var balancerKinds = []kind{
	{"balancer", "lbaas/loadbalancers", "loadbalancers", []string{"name", "description", "vip_address", "tags"}},
	{"listener", "lbaas/listeners", "listeners", []string{
		"name", "protocol", "protocol_port", "connection_limit", "default_tls_container_ref", "insert_headers", "allowed_cidrs",
		"timeout_client_data", "timeout_member_connect", "timeout_member_data", "timeout_tcp_inspect", "tags",
	}},
	{"pool", "lbaas/pools", "pools", []string{"name", "protocol", "lb_algorithm", "session_persistence", "tags"}},
	{"monitor", "lbaas/healthmonitors", "healthmonitors", []string{
		"name", "type", "delay", "timeout", "max_retries", "max_retries_down", "http_method", "url_path", "expected_codes",
	}},
}

// member needs its pool's id in the path.
var member = kind{"member", "lbaas/pools/%s/members", "members", []string{
	"name", "address", "protocol_port", "subnet_id", "weight", "backup", "monitor_port", "monitor_address",
}}

var networkKinds = []kind{
	{"network", "networks", "networks", []string{"name"}},
	{"subnet", "subnets", "subnets", []string{"name", "cidr"}},
	{"floating-ip", "floatingips", "floatingips", []string{"floating_ip_address", "port_id", "description", "tags"}},
	{"security-group", "security-groups", "security_groups", []string{"name", "description", "tags"}},
	{"rule", "security-group-rules", "security_group_rules", []string{
		"security_group_id", "direction", "ethertype", "protocol", "port_range_min", "port_range_max", "remote_ip_prefix", "remote_group_id",
	}},
	{"port", "ports", "ports", []string{
		"name", "description", "device_owner", "device_id", "fixed_ips", "allowed_address_pairs", "security_groups", "tags",
	}},
	{"router", "routers", "routers", []string{"name", "routes", "tags"}},
}

// Inventory lists what is in the project, one line each, sorted: kind, id, and the fields that
// somebody sets. Two inventories are equal when nothing was added, lost or changed between
// them. The ports and groups that octavia makes for itself are in its own project.
func (p *Project) Inventory(ctx context.Context) ([]string, error) {
	var lines []string
	take := func(client *gophercloud.ServiceClient, k kind, path string, query url.Values) error {
		items, err := list(ctx, client, path, k.list, query)
		for _, item := range items {
			lines = append(lines, k.line(item))
		}
		return err
	}
	for _, k := range balancerKinds {
		if err := take(p.Admin.Balancer, k, k.path, p.mine()); err != nil {
			return nil, err
		}
	}
	pools, err := list(ctx, p.Admin.Balancer, "lbaas/pools", "pools", p.mine())
	if err != nil {
		return nil, err
	}
	for _, pool := range pools {
		if err := take(p.Admin.Balancer, member, fmt.Sprintf(member.path, text(pool, "id")), nil); err != nil {
			return nil, err
		}
	}
	for _, k := range networkKinds {
		if err := take(p.Admin.Network, k, k.path, p.mine()); err != nil {
			return nil, err
		}
	}
	servers := kind{"server", "servers", "servers", []string{"name"}}
	if err := take(p.Admin.Compute, servers, servers.path, url.Values{"project_id": {p.ID}, "all_tenants": {"1"}}); err != nil {
		return nil, err
	}
	slices.Sort(lines)
	return lines, nil
}

// line is an object in one line.
func (k kind) line(o object) string {
	line := k.name + " " + text(o, "id")
	for _, field := range k.show {
		value, err := json.Marshal(o[field])
		if err != nil {
			panic(fmt.Sprintf("encoding decoded JSON: %v", err))
		}
		if s := string(value); s != "null" && s != `""` && s != "[]" && s != "{}" {
			line += " " + field + "=" + s
		}
	}
	return line
}
