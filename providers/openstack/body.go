package openstack

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// listenerBody is the request that makes a listener.
func (d *Driver) listenerBody(l cloud.Listener, spec cloud.Spec) map[string]any {
	body := map[string]any{
		"name": d.childName("listener", portIndex(l, spec), spec.Ref.Owner), "protocol": string(l.Protocol), "protocol_port": l.Port,
		"connection_limit": atoi(l.ProviderFields[fieldConnectionLimit]),
	}
	for field, extra := range map[string]string{
		"timeout_client_data": fieldClientData, "timeout_member_connect": fieldMemberConnect,
		"timeout_member_data": fieldMemberData, "timeout_tcp_inspect": fieldTCPInspect,
	} {
		if value, managed := l.ProviderFields[extra]; managed {
			body[field] = atoi(value)
		}
	}
	if l.ProviderFields[fieldOwned] == "true" {
		body["tags"] = []string{d.name(spec.Ref.Owner)}
	}
	if l.Protocol == protocolTerminated {
		body["default_tls_container_ref"] = l.ProviderFields[fieldTLS]
	}
	if l.ProviderFields[fieldForwardedFor] == "true" {
		body["insert_headers"] = map[string]string{forwardedFor: "true"}
	}
	if cidrs := l.ProviderFields[fieldAllowed]; cidrs != "" {
		body["allowed_cidrs"] = cidrList(cidrs)
	}
	return body
}

// cidrList is empty, and not nothing, where everybody may connect: nothing would change nothing.
func cidrList(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

func (d *Driver) poolBody(l cloud.Listener, spec cloud.Spec) map[string]any {
	body := map[string]any{
		"name": d.childName("pool", portIndex(l, spec), spec.Ref.Owner), "protocol": string(l.TargetProtocol), "lb_algorithm": l.ProviderFields[fieldMethod],
	}
	if kind := l.ProviderFields[fieldPersistence]; kind != "" {
		body["session_persistence"] = persistenceBody(kind)
	}
	return body
}

func (d *Driver) monitorBody(l cloud.Listener, spec cloud.Spec) map[string]any {
	h := l.Health
	body := map[string]any{
		"name": d.childName("monitor", portIndex(l, spec), spec.Ref.Owner), "type": string(h.Protocol),
		"delay": int(h.Interval / time.Second), "timeout": int(h.Timeout / time.Second), "max_retries": h.Healthy, "max_retries_down": h.Unhealthy,
	}
	if h.Protocol == protocolHTTP {
		body["url_path"], body["http_method"], body["expected_codes"] = h.Path, "GET", "200"
	}
	return body
}

func membersBody(members []member) []map[string]any {
	bodies := []map[string]any{}
	for _, m := range members {
		bodies = append(bodies, m.body())
	}
	return bodies
}

// body leaves out what has its default. A port of its own for the check is taken away by a null.
func (m member) body() map[string]any {
	body := map[string]any{"name": m.Name, "address": m.Address, "protocol_port": m.Port, "weight": m.Weight, "backup": m.Backup, "admin_state_up": m.Enabled}
	if m.Subnet != "" {
		body["subnet_id"] = m.Subnet
	}
	if m.MonitorPort != 0 {
		body["monitor_port"] = m.MonitorPort
	} else {
		body["monitor_port"] = nil
	}
	return body
}

// portIndex is the place of a listener's port in the Service, which its name has.
func portIndex(l cloud.Listener, spec cloud.Spec) int {
	return max(0, slices.IndexFunc(spec.Ports, func(p cloud.Port) bool { return p.Listener().Key() == l.Key() }))
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
