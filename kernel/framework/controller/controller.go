// Package controller knows the names of the controllers.
package controller

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/cloud-provider/names"
	controllermanagerapp "k8s.io/controller-manager/app"
)

// The controllers that upstream's CCMs do not all have.
const (
	// CloudFirewall is the name of the one that none has.
	CloudFirewall = "cloud-firewall-controller"
	// Tagging is upstream's name of the controller that tags machines. It runs where
	// --controllers names it, and not for "*".
	Tagging = "tagging"
	// KubeletCertificate is the name of the one that approves the certificates that kubelets serve with. It runs where --controllers
	// names it, and not for "*".
	KubeletCertificate = "kubelet-serving-certificate"
)

// OffByDefault returns the controllers that "*" does not name.
func OffByDefault() []string { return []string{KubeletCertificate, Tagging} }

// Names returns the names of all controllers, sorted.
func Names() []string {
	all := []string{names.CloudNodeController, names.CloudNodeLifecycleController, names.ServiceLBController, names.NodeRouteController, CloudFirewall, Tagging, KubeletCertificate}
	slices.Sort(all)
	return all
}

// Enabled says of each controller whether it runs with these values of --controllers. They are read
// as the framework reads them: old names count, and a name that is none is an error.
func Enabled(values []string) (map[string]bool, error) {
	aliases, known := names.CCMControllerAliases(), Names()
	canonical := make([]string, len(values))
	for n, value := range values {
		name, off := strings.CutPrefix(value, "-")
		if real, ok := aliases[name]; ok {
			name = real
		}
		if value != "*" && !slices.Contains(known, name) {
			return nil, fmt.Errorf("--controllers: %q is no controller: want * or names, with - before those that are off: %s", value, strings.Join(known, ", "))
		}
		canonical[n] = name
		if off {
			canonical[n] = "-" + name
		}
	}
	byDefaultOff := sets.NewString(OffByDefault()...)
	enabled := make(map[string]bool, len(known))
	for _, name := range known {
		enabled[name] = controllermanagerapp.IsControllerEnabled(name, byDefaultOff, canonical)
	}
	return enabled, nil
}
