// Program suite runs Kubernetes' specs about Services of type LoadBalancer.
package main

import (
	"os"

	// The specs.
	_ "k8s.io/kubernetes/test/e2e/network"

	"github.com/multicloud-ccm/multicloud-ccm/test/e2e/kubernetes/nodes/program"
)

// cloud is a name that no spec knows, so that none makes an exception.
const cloud = "multicloud-ccm"

func main() { os.Exit(program.Main("Feature: containsAny LoadBalancer", cloud)) }
