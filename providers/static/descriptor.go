package static

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The settings.
const (
	settingSchemes = "STATIC_SCHEMES"
	settingRegion  = "STATIC_REGION"
	settingZone    = "STATIC_ZONE"
)

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "static",
		Title:             "Static machines",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{scheme},
		SchemesSetting:    settingSchemes,
		ProviderIDForm:    "static://<name of the Node>",
		Offline:           true,
		Limits:            cloud.Limits{PageSize: 1, GetBatch: 1},
		Variables:         cloud.Variables{Prefix: "STATIC_"},
		ConfigFile: &cloud.ConfigFile{
			Value: "inventory", Key: "inventory.yaml", Inventory: true, Keys: cloud.InventoryKeys(),
			Doc: "Which machines there are, with zone, region, type, labels and further addresses. Without it every waiting Node is a static machine.",
		},
		Notes: []string{
			"Every kubelet needs --node-ip, the address at which the other nodes reach it, be it one of WireGuard or Tailscale: it is the InternalIP of its Node. Without it the Node has no address, and waits.",
			"Every Node that waits for its cloud and has no provider-ID becomes static, or, with an inventory, every one that an entry fits, and stays so for ever: a provider-ID can never change. That is wrong for a machine that a cloud controller manager of its cloud is to serve: give its kubelet a --provider-id, or its Node the label multicloud-ccm.io/unmanaged=true. `cloud-controller-manager plan nodes` lists the Nodes that would become static.",
			"No Node is ever deleted or called shut down, because nobody can prove that such a machine is gone. When it is, run kubectl delete node.",
			"Services are never touched. Load balancers come from others, such as MetalLB, kube-vip, Cilium or the ServiceLB of k3s.",
			"Nodes that k3s or RKE2 initialised before keep their provider-IDs, and are looked after where static.schemes (STATIC_SCHEMES) names k3s or rke2.",
		},
		Settings: []cloud.Setting{
			{
				Name: settingSchemes, Value: "schemes", Type: cloud.SettingList,
				Doc: "Further schemes of provider-IDs, such as k3s and rke2: their Nodes keep their provider-IDs and are looked after too. Those of clouds are refused.",
			},
			{Name: settingRegion, Value: "region", Doc: "Region of the machines, a label of their Nodes. None when empty."},
			{Name: settingZone, Value: "zone", Doc: "Zone of the machines, a label of their Nodes. None when empty."},
		},
	}
}

// settings are the validated variables.
type settings struct {
	// schemes are those of provider-IDs, of which the first is written.
	schemes      []string
	region, zone string
}

// schemeForm is RFC 3986, section 3.1, as Kubernetes' providers use it.
var schemeForm = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// ofClouds are the schemes of provider-IDs that a cloud controller manager of a cloud writes. Its machines can be proven to be gone.
var ofClouds = []string{
	"alicloud", "aws", "azure", "baremetal", "civo", "cloudscale", "cloudstack", "digitalocean", "equinixmetal", "exoscale", "external-cloudstack", "gce", "harvester",
	"hcloud", "hrobot", "ibm", "ionos", "kind", "kubevirt", "linode", "metal3", "nutanix", "oci", "openstack", "ovh", "proxmox", "scaleway", "sim", "stackit", "upcloud",
	"vsphere", "vultr", "yandex",
}

// read validates the variables, and reports every problem at once.
func read(lookup func(string) string) (settings, error) {
	r := &cloud.SettingReader{Lookup: lookup}
	s := settings{schemes: []string{scheme}, region: r.Text(settingRegion), zone: r.Text(settingZone)}
	for _, further := range r.List(settingSchemes) {
		switch {
		case !schemeForm.MatchString(further):
			r.Refuse(settingSchemes, further, `want schemes of provider-IDs with commas between, such as "k3s,rke2"`)
		case slices.Contains(ofClouds, further):
			r.Refuse(settingSchemes, further, "want a scheme that no cloud has: whether such a machine is there can be asked of its cloud")
		case !slices.Contains(s.schemes, further):
			s.schemes = append(s.schemes, further)
		}
	}
	for _, pair := range [][2]string{{settingRegion, s.region}, {settingZone, s.zone}} {
		if name, value := pair[0], pair[1]; value != "" && !cloud.IsLabelValue(value) {
			r.Refuse(name, value, "want a value that a label can have: at most 63 letters, digits, -, _ and ., which begins and ends with a letter or a digit")
		}
	}
	return s, r.Err()
}

// Check returns what is wrong with the settings.
func Check(config cloud.Config) error {
	_, err := read(config.Lookup)
	return err
}

// errForm says what a provider-ID has to be like.
func errForm(providerID string) error {
	return fmt.Errorf("provider-ID %q: want static://<name of the Node>, or another name of letters, digits and ._/:=+$@%%~-", cloud.Shorten(providerID, cloud.MostOfValue))
}
