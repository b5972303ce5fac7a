package object

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Listener is an open port.
type Listener struct {
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	Protocol        string            `json:"protocol"`
	Port            int               `json:"protocol_port"`
	Pool            string            `json:"default_pool_id"`
	Tags            []string          `json:"tags"`
	ConnectionLimit int               `json:"connection_limit"`
	TLSRef          string            `json:"default_tls_container_ref"`
	InsertHeaders   map[string]string `json:"insert_headers"`
	AllowedCIDRs    []string          `json:"allowed_cidrs"`
	ClientData      int               `json:"timeout_client_data"`
	MemberConnect   int               `json:"timeout_member_connect"`
	MemberData      int               `json:"timeout_member_data"`
	TCPInspect      int               `json:"timeout_tcp_inspect"`
}

// Identifier returns the id.
func (l Listener) Identifier() string { return l.ID }

// Key is that of the kernel's listener.
func (l Listener) Key() string {
	return cloud.Listener{Protocol: cloud.Protocol(l.Protocol), Port: l.Port}.Key()
}
