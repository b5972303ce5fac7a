// Program suite runs the spec of Kubernetes 1.36 about Nodes whose machine is gone. Later versions do not have it.
package main

import (
	"os"

	// The specs.
	_ "k8s.io/kubernetes/test/e2e/cloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/e2e/kubernetes/nodes/program"
)

// On a cloud of another name the spec skips itself.
const cloud = "aws"

func main() { os.Exit(program.Main("Feature: containsAny CloudProvider", cloud)) }
