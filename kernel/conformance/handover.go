package conformance

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// handedOver compares what the driver hands over with what the descriptor declares, by which documents and the chart go.
func (s *suite) handedOver(f *fixture) {
	d, can := f.driver, s.Descriptor.Capabilities
	if d.Account == nil || d.Machines.Instances == nil {
		f.Fatal("a driver has an Account and Machines.Instances")
	}
	s.agreesOffline(f.T, d)
	for name, group := range map[string]struct{ declared, there bool }{
		"Balancers": {can.Balancers, d.Balancers != nil},
		"Routes":    {can.Routes, d.Routes != nil},
		"Firewalls": {can.Firewalls, d.Firewalls != nil},
		"Tags":      {can.Tags, d.Tagger != nil},
	} {
		if group.declared != group.there {
			f.Errorf("%s: the descriptor says %t, and what the driver hands over %t", name, group.declared, group.there)
		}
	}
	if d.Routes != nil && d.Routes.Routes == nil {
		f.Error("a RouteGroup has Routes")
	}
	if d.Balancers != nil {
		s.balancersHandedOver(f, *d.Balancers)
	}
	detailsDeclared(f, can)
}

// detailsDeclared checks that nothing is declared of what there is none of.
func detailsDeclared(f *fixture, can cloud.Capabilities) {
	if !can.Routes && (can.RoutesUntagged || can.RoutesApart || can.RoutesByAddress || can.MaxRoutes != 0) {
		f.Error("the descriptor says something of routes, and that there are none")
	}
	if !can.Firewalls && (can.FirewallRules != 0 || can.FirewallSources != 0) {
		f.Error("the descriptor says something of firewalls, and that there are none")
	}
}

// balancersHandedOver checks the members for balancers against each other, and against what is declared of each.
func (s *suite) balancersHandedOver(f *fixture, group cloud.BalancerGroup) {
	if (group.Whole == nil) == (group.Composite == nil) {
		f.Error("a BalancerGroup has either Whole or Composite")
	}
	if group.Replacer != nil && s.Descriptor.IDAnnotation == "" {
		f.Error("a Replacer needs an IDAnnotation")
	}
	if s.Descriptor.Capabilities.FindsInLists && group.BulkLister == nil {
		f.Error("the descriptor says FindsInLists, and there is no BulkLister")
	}
}
