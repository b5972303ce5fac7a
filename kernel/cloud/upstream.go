package cloud

// Upstream is what those have to know who switch from the controller manager of the cloud's own
// project, as a declaration: the command `adopt` names the Nodes and Services that it is about.
type Upstream struct {
	// Name is what that controller manager is called, "" where there is none.
	Name string
	// Guide is the page about the switch, as a path of the repository.
	Guide string
	// Differences are what is done otherwise here for some Nodes or Services of this cloud. What is
	// done otherwise on every cloud is not among them.
	Differences []Difference
}

// Difference is something that is done otherwise here than upstream does it. Changes of a balancer or
// a Node at the switch are none: they are planned.
type Difference struct {
	// ID is what programs know it by, such as "aws-udp-check".
	ID string
	// Text says to people what is otherwise, and what they can do.
	Text string
	// Anchor is the paragraph of Upstream.Guide that says more.
	Anchor string
	// Node reports whether it is about a Node, nil where it is about none. The machine is zero when
	// the cloud has none for it. It is pure.
	Node func(name, providerID string, machine Instance) bool
	// Service reports whether it is about a Service, nil where it is about none. The balancer is not
	// Found when the Service has none. It is pure.
	Service func(spec Spec, balancer Observed) bool
}
