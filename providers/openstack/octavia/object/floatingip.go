package object

import "strings"

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

// Obstacle says why a Service may not have it at the port of its balancer, "" where it may. Preserved is the address that the Service
// has to keep: that is its own, whatever the description says.
//
//	at another port                                yes
//	free, its description has another one's UID    yes: that Service may want it again
//	the same, preserved                            no
//	any other                                      no
func (f FloatingIP) Obstacle(port, uid, preserved string) string {
	_, proof, made := strings.Cut(f.Description, "(uid ")
	madeFor, _, _ := strings.Cut(proof, ")")
	switch {
	case f.Port != "" && f.Port != port:
		return "it is in use at port " + f.Port
	case f.Port == "" && made && madeFor != uid && f.Address != preserved:
		return "it was made for another Service; if that is gone, change the description of the floating IP"
	}
	return ""
}
