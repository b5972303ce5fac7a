package program

import (
	// They add to each spec what the framework expects: the flags of the log, the state of the cluster after
	// a failure, and the wait for nodes to be ready.
	_ "k8s.io/component-base/logs/testinit"
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/metrics/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
)
