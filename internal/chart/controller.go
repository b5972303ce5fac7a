package chart

import (
	"slices"

	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/rbac"
)

// switched is one line of files/controllers.yaml: which controller a switch of the values
// is for, and what the cloud must be able to do.
type switched struct {
	Value      string `json:"value"`
	Controller string `json:"controller"`
	Capability string `json:"capability,omitempty"`
}

func controllers() []switched {
	return []switched{
		{"node", names.CloudNodeController, ""},
		{"nodeLifecycle", names.CloudNodeLifecycleController, capAbsence},
		{"service", names.ServiceLBController, capBalancers},
		{"route", names.NodeRouteController, capRoutes},
		{"firewall", controller.CloudFirewall, capFirewall},
		{"tagging", controller.Tagging, capTags},
		{"kubeletServingCertificate", controller.KubeletCertificate, capAbsence},
	}
}

// grant is one line of files/rbac.yaml.
type grant struct {
	For         string   `json:"for"`
	Controllers []string `json:"controllers,omitempty"`
	Group       string   `json:"group"`
	Resource    string   `json:"resource"`
	Verbs       []string `json:"verbs"`
	// Lease bounds the grant to the lease, Names to objects of these names.
	Lease      bool     `json:"lease,omitempty"`
	Names      []string `json:"names,omitempty"`
	Namespaced bool     `json:"namespaced,omitempty"`
	// Namespace is the one of a namespaced grant, that of the lease when empty.
	Namespace string `json:"namespace,omitempty"`
}

func grants() []grant {
	const lease = "lease"
	var all []grant
	for _, g := range rbac.Rules(lease) {
		one := grant{For: g.For, Controllers: g.Controllers, Group: g.Group, Resource: g.Resource, Verbs: g.Verbs, Names: g.Names, Namespaced: g.Namespaced, Namespace: g.Namespace}
		if slices.Contains(g.Names, lease) {
			one.Lease, one.Names = true, nil
		}
		all = append(all, one)
	}
	return all
}
