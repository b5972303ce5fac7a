package openstack_test

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Leftovers are the project's objects without its furniture, machines and their ports, and the ownership tags
// of routes on its router.
func (c *control) Leftovers() (left []string) {
	c.Helper()
	for _, line := range c.inventory() {
		words := strings.Fields(line)
		switch {
		case words[0] == "router" && strings.Contains(line, "ccm-route-"):
			left = append(left, line)
		case c.project.furniture[words[1]], words[0] == "server", words[0] == "port" && strings.Contains(line, `device_owner="compute:`):
		default:
			left = append(left, line)
		}
	}
	return left
}

func (c *control) inventory() []string {
	c.Helper()
	lines, err := c.project.Inventory(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return lines
}

// TamperBalancer does what somebody with the API would.
func (c *control) TamperBalancer(id, field string) bool {
	c.Helper()
	c.Settle()
	key, part, ofListener := strings.Cut(field, " ")
	if ofListener {
		return c.tamperListener(id, key, part)
	}
	path := "lbaas/loadbalancers/" + id
	switch field {
	case cloud.FieldOwnershipTags:
		c.change("loadbalancer", path, object{"tags": []string{"by-hand"}})
	case cloud.FieldName:
		c.change("loadbalancer", path, object{"name": "by-hand"})
	case cloud.FieldScope:
		port := text(c.read(path, "loadbalancer"), "vip_port_id")
		for _, ip := range c.all(c.project.Network, "floatingips", "floatingips", url.Values{"port_id": {port}}) {
			c.call(c.project.Network, http.MethodPut, "floatingips/"+text(ip, "id"), object{"floatingip": object{"port_id": nil}})
		}
	default:
		return false
	}
	return true
}

// edits are the fields of listeners, pools and monitors, as the API calls them, that somebody
// changes by hand.
var edits = map[string]struct {
	part string
	body object
}{
	"connectionLimit":      {"listener", object{"connection_limit": 9}},
	"timeoutClientData":    {"listener", object{"timeout_client_data": 9}},
	"timeoutMemberConnect": {"listener", object{"timeout_member_connect": 9}},
	"timeoutMemberData":    {"listener", object{"timeout_member_data": 9}},
	"timeoutTCPInspect":    {"listener", object{"timeout_tcp_inspect": 9}},
	"allowedCIDRs":         {"listener", object{"allowed_cidrs": []string{"192.0.2.0/24"}}},
	"tagged":               {"listener", object{"tags": []string{}}},
	"method":               {"pool", object{"lb_algorithm": "SOURCE_IP"}},
	"persistence":          {"pool", object{"session_persistence": object{"type": "SOURCE_IP"}}},
	"health.interval":      {"healthmonitor", object{"delay": 60}},
	"health.timeout":       {"healthmonitor", object{"timeout": 2}},
	"health.healthy":       {"healthmonitor", object{"max_retries": 9}},
	"health.unhealthy":     {"healthmonitor", object{"max_retries_down": 9}},
}

// tamperListener changes the first listener: the second is like it.
func (c *control) tamperListener(balancer, key, field string) bool {
	c.Helper()
	edit, ok := edits[field]
	if !ok || key != "tcp/80" {
		return false
	}
	query := url.Values{"loadbalancer_id": {balancer}, "protocol_port": {"80"}}
	listener := c.all(c.project.Balancer, "lbaas/listeners", "listeners", query)[0]
	path := "lbaas/listeners/" + text(listener, "id")
	if edit.part != "listener" {
		path = "lbaas/pools/" + text(listener, "default_pool_id")
	}
	if edit.part == "healthmonitor" {
		path = "lbaas/healthmonitors/" + text(c.read(path, "pool"), "healthmonitor_id")
	}
	c.change(edit.part, path, edit.body)
	return true
}

func (c *control) read(path, one string) object {
	c.Helper()
	read, _ := c.call(c.project.Balancer, http.MethodGet, path, nil)[one].(object)
	return read
}

func (c *control) change(one, path string, fields object) {
	c.Helper()
	c.call(c.project.Balancer, http.MethodPut, path, object{one: fields})
	c.Settle()
}
