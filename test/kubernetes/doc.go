// Package kubernetes runs Kubernetes' own specs of load balancers, and of Nodes whose machine is deleted, on a cluster with this controller
// manager, which is installed from the chart.
//
//	a cluster of 3 nodes    package cluster, with a data plane of load balancers and a place for clients outside
//	a cloud                 package install: a simulated or emulated one, whose machines are the nodes
//	helm install            the chart with its RBAC, the image that `make image` builds
//	a suite                 a program with specs (test/e2e/kubernetes), of which each spec gets a process as a client outside of the cluster
//	the watch               looks all the time at what the specs do not look at, and fails the spec whose Service it is
//	the runner's Service    is there from before the first spec until after the last one, and its calls are counted
//
// A spec that is skipped has to be in the list of skips, with a reason. An entry of the list that no spec has fails the run.
package kubernetes
