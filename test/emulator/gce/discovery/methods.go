package discovery

import "strings"

// Emulated returns the names of the methods that the emulator has, in the order of its README:
// what drivers of the Compute API call for nodes, load balancers and routes, and what makes and
// removes the objects around them.
func Emulated() []string {
	var names []string
	for line := range strings.Lines(emulated) {
		collection, verbs, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for verb := range strings.FieldsSeq(verbs) {
			names = append(names, collection+"."+verb)
		}
	}
	return names
}

const emulated = `projects: get
zones: get list
regions: get list
instances: get list aggregatedList insert delete start stop setTags
networks: get list insert delete
subnetworks: get list aggregatedList insert patch delete
addresses: get list aggregatedList insert delete setLabels
firewalls: get list insert update patch delete
forwardingRules: get list aggregatedList insert patch setTarget setLabels delete
targetPools: get list aggregatedList insert delete addInstance removeInstance addHealthCheck removeHealthCheck getHealth
httpHealthChecks: get list insert update patch delete
healthChecks: get list insert update patch delete
regionHealthChecks: get list insert update patch delete
regionBackendServices: get list insert update patch delete getHealth
instanceGroups: get list aggregatedList insert delete listInstances addInstances removeInstances setNamedPorts
networkEndpointGroups: get list aggregatedList insert delete attachNetworkEndpoints detachNetworkEndpoints listNetworkEndpoints
routes: get list insert delete
zoneOperations: get list wait
regionOperations: get list wait
globalOperations: get list wait`
