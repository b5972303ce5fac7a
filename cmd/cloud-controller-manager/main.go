// Command cloud-controller-manager is the Kubernetes cloud controller manager for every
// cloud compiled into it: see internal/compiled.
package main

import (
	"os"

	"github.com/multicloud-ccm/multicloud-ccm/internal/app"
	_ "github.com/multicloud-ccm/multicloud-ccm/internal/compiled" // registers the providers
)

func main() { os.Exit(app.Main()) }
