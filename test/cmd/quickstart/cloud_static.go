package main

import "fmt"

// staticMachines are machines that no API knows. They are nowhere: that one is off or gone shows in its Node alone, whose kubelet is silent.
type staticMachines struct{}

const (
	staticRegion = "home"
	staticZone   = "cellar"
)

func (staticMachines) provider() string { return "static" }

func (staticMachines) title() string { return "machines that no API knows" }

func (staticMachines) env() []string {
	return []string{"STATIC_REGION=" + staticRegion, "STATIC_ZONE=" + staticZone}
}

func (staticMachines) args() []string { return nil }

func (staticMachines) machines() []machine {
	var list []machine
	for i, name := range nodeNames {
		ip := fmt.Sprintf("192.168.1.%d", i+11)
		list = append(list, machine{name: name, providerID: "static://" + name, region: staticRegion, zone: staticZone, addresses: []string{ip}, nodeIP: ip})
	}
	return list
}

func (staticMachines) stop(string) error { return nil }

func (staticMachines) remove(string) error { return nil }

func (staticMachines) hasAPI() bool { return false }

func (staticMachines) hasBalancers() bool { return false }

func (staticMachines) carriesTraffic() bool { return false }

func (staticMachines) door(string, int) string { return "" }

func (staticMachines) close() {}
