// Program suite runs Kubernetes' specs about Services of type LoadBalancer.
package main

import (
	"os"

	// The specs.
	_ "k8s.io/kubernetes/test/e2e/network"

	"github.com/multicloud-ccm/multicloud-ccm/test/e2e/kubernetes/nodes/program"
)

func main() { os.Exit(program.Main("Feature: containsAny LoadBalancer")) }
