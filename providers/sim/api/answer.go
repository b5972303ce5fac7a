package api

// Answers of the driver's half.
type (
	// Account is who the credentials belong to.
	Account struct {
		ID     string `json:"id"`
		Region string `json:"region"`
	}
	// MachineList is one page of machines.
	MachineList struct {
		Machines []Machine `json:"machines"`
		// Next is the "after" of the next page, "" on the last one.
		Next string `json:"next"`
		// UnavailableZones are zones whose machines are missing here.
		UnavailableZones []string `json:"unavailable_zones"`
	}
	// NetworkList is all networks.
	NetworkList struct {
		Networks []Network `json:"networks"`
	}
	// BalancerList is all balancers asked for.
	BalancerList struct {
		Balancers []Balancer `json:"balancers"`
	}
	// RouteList is all routes asked for.
	RouteList struct {
		Routes []Route `json:"routes"`
	}
	// OperationList is the operations asked for that are known.
	OperationList struct {
		Operations []Operation `json:"operations"`
	}
)
