package object

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
