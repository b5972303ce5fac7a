package neutron

// Network is the name of a network.
type Network struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Identifier is the id, as lists name it.
func (n Network) Identifier() string { return n.ID }

// External is a network that may be external. A project is shown the ids of its subnets, though often not the subnets.
type External struct {
	Network
	External *bool    `json:"router:external"`
	Subnets  []string `json:"subnets"`
}

// Subnet is what the driver uses of a subnet of Neutron.
type Subnet struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Network string   `json:"network_id"`
	CIDR    string   `json:"cidr"`
	Version int      `json:"ip_version"`
	Tags    []string `json:"tags"`
}

// Identifier is the id, as lists name it.
func (s Subnet) Identifier() string { return s.ID }
