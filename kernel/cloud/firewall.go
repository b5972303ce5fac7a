package cloud

// Opening lets traffic in to the nodes.
type Opening struct {
	Protocol Protocol
	// From and To are the first and last port.
	From, To int
	// Sources are CIDRs, sorted; with Balancers also empty.
	Sources []string
	// Balancers are ids of load balancers whose traffic is let in, sorted.
	Balancers []string
}

// ObservedFirewall is what the cloud says about the managed firewall.
type ObservedFirewall struct {
	Found    bool
	ID       string
	Openings []Opening
	// Drifted says that something besides the openings differs from what is managed.
	Drifted bool
	Native  any
}
