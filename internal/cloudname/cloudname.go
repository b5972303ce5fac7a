// Package cloudname has the names that people and other programs have for clouds.
package cloudname

import (
	"maps"
	"strings"
)

// elsewhere are names that --cloud-provider has, or had, in Kubernetes or in a CCM of its own, and
// that are no provider here: what became of them, and what to use. The names are those that kubelets,
// kubeadm and old manifests still carry.
var elsewhere = map[string]string{
	"alicloud":     "use its own controller: https://github.com/kubernetes/cloud-provider-alibaba-cloud",
	"azure":        "use its own controller: https://github.com/kubernetes-sigs/cloud-provider-azure",
	"cloudstack":   "use its own controller: https://github.com/apache/cloudstack-kubernetes-provider",
	"equinixmetal": "Equinix Metal ended on 2026-06-30: move the machines; https://www.datacenterdynamics.com/en/news/equinix-to-kill-off-metal-by-june-2026/",
	"external":     "that is a value for kubelets, which wait for a controller manager with it; give the cloud's own name",
	"ibmcloud":     "use its own controller: https://github.com/IBM-Cloud/cloud-provider-ibm",
	"k3s":          "k3s has a controller manager of its own: switch it off with --disable-cloud-controller, as deploy/platform/README.md says, and give the name of the cloud, or static where there is none",
	"kind":         "use its own controller: https://github.com/kubernetes-sigs/cloud-provider-kind",
	"kubevirt":     "use its own controller: https://github.com/kubevirt/cloud-provider-kubevirt",
	"linode":       "use its own controller: https://github.com/linode/linode-cloud-controller-manager",
	"mesos":        "Kubernetes removed it: use static, or run without a cloud provider; https://github.com/kubernetes/kubernetes/pull/47232",
	"oci":          "use its own controller: https://github.com/oracle/oci-cloud-controller-manager",
	"ovirt":        "Kubernetes removed it: use static, or run without a cloud provider; https://github.com/kubernetes/kubernetes/pull/72178",
	"packet":       "Packet became Equinix Metal, which ended on 2026-06-30: move the machines; https://www.datacenterdynamics.com/en/news/equinix-to-kill-off-metal-by-june-2026/",
	"photon":       "Kubernetes removed it (https://github.com/kubernetes/kubernetes/pull/72178); for vSphere use https://github.com/kubernetes/cloud-provider-vsphere",
	"proxmox":      "use its own controller: https://github.com/sergelogvinov/proxmox-cloud-controller-manager",
	"rackspace":    "Kubernetes removed it in favour of OpenStack (https://github.com/kubernetes/kubernetes/pull/52855): use openstack",
	"rke2":         "RKE2 has a controller manager of its own: switch it off with --disable-cloud-controller, as deploy/platform/README.md says, and give the name of the cloud, or static where there is none",
	"scaleway":     "use its own controller: https://github.com/scaleway/scaleway-cloud-controller-manager",
	"vsphere":      "use its own controller: https://github.com/kubernetes/cloud-provider-vsphere",
	"vultr":        "use its own controller: https://github.com/vultr/vultr-cloud-controller-manager",
}

// otherSpellings are names that mean one of ours or one of elsewhere.
var otherSpellings = map[string]string{
	"aks": "azure", "alibaba": "alicloud", "alibabacloud": "alicloud", "amazon": "aws", "azurerm": "azure", "do": "digitalocean", "digital-ocean": "digitalocean",
	"doks": "digitalocean", "ec2": "aws", "eks": "aws", "gke": "gce", "oke": "oci", "equinix-metal": "equinixmetal", "gcp": "gce", "google": "gce", "google-cloud": "gce", "googlecloud": "gce", "hetzner": "hcloud",
	"hetzner-cloud": "hcloud", "hetznercloud": "hcloud", "ibm": "ibmcloud", "metal": "equinixmetal", "oracle": "oci",
	"vmware": "vsphere",
	// Machines of no cloud. Kubernetes had a provider vagrant: https://github.com/kubernetes/kubernetes/issues/18093.
	"bare-metal": "static", "baremetal": "static", "local": "static", "none": "static", "on-prem": "static", "onprem": "static", "vagrant": "static",
}

// Others returns other names of clouds with those that they have here, or in Elsewhere.
func Others() map[string]string { return maps.Clone(otherSpellings) }

// Elsewhere returns what to do about clouds that are not here.
func Elsewhere() map[string]string { return maps.Clone(elsewhere) }

// Advice says what to do about a cloud that is not here, "" for any other name.
func Advice(name string) string { return elsewhere[name] }

// Meaning returns the name that a cloud has here, or in Elsewhere.
func Meaning(name string) string {
	name = strings.ToLower(name)
	if meant, ok := otherSpellings[name]; ok {
		return meant
	}
	return name
}
