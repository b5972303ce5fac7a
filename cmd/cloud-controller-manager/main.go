// Command cloud-controller-manager is the Kubernetes cloud controller manager for every
// cloud compiled into it: see the provider_*.go files beside this one.
package main

import (
	"os"

	"github.com/multicloud-ccm/multicloud-ccm/internal/app"
)

func main() { os.Exit(app.Main()) }
