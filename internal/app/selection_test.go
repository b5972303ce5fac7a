package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/internal/cloudname"
)

func TestChooseProvider(t *testing.T) {
	tests := []struct {
		name     string
		flag     string
		compiled []string
		want     string
		errorHas []string
	}{
		{"empty picks the only one", "", []string{"sim"}, "sim", nil},
		{"named", "sim", []string{"digitalocean", "sim"}, "sim", nil},
		{"empty with several", "", []string{"digitalocean", "sim"}, "", []string{"--cloud-provider is not set", "digitalocean, sim"}},
		{"left out", "digitalocean", []string{"sim"}, "", []string{"left out", "compiled in: sim", "PROVIDERS=digitalocean"}},
		{"Kubernetes of another cloud", "aks", []string{"aws", "sim"}, "", []string{"azure", "aws, sim"}},
		{"unknown", "acme", []string{"digitalocean", "sim"}, "", []string{"acme is not a provider", "digitalocean, sim"}},
		{"external is for kubelets", "external", []string{"sim"}, "", []string{"external is not a provider here", "for kubelets", "compiled into this binary: sim"}},
		{"ended", "packet", []string{"sim"}, "", []string{"packet is not a provider here", "Equinix Metal", "ended"}},
		{"removed", "mesos", []string{"sim"}, "", []string{"removed it", "https://", "use static, or run without a cloud provider"}},
		{"removed, and static now", "vagrant", []string{"sim", "static"}, "", []string{"it is called static here, use --cloud-provider=static"}},
		{"machines of no cloud", "bare-metal", []string{"sim", "static"}, "", []string{"it is called static here, use --cloud-provider=static"}},
		{"no cloud provider", "none", []string{"sim", "static"}, "", []string{"it is called static here, use --cloud-provider=static"}},
		{"of a cloud that ended, not of no cloud", "metal", []string{"sim", "static"}, "", []string{"Equinix Metal"}},
		{"has its own", "azure", []string{"sim"}, "", []string{"https://github.com/kubernetes-sigs/cloud-provider-azure"}},
		{"another spelling", "DigitalOcean", []string{"digitalocean", "sim"}, "", []string{"--cloud-provider=DigitalOcean is not a provider: it is called digitalocean here, use --cloud-provider=digitalocean"}},
		{"another name", "hetzner", []string{"hcloud", "sim"}, "", []string{"--cloud-provider=hetzner is not a provider: it is called hcloud here, use --cloud-provider=hcloud"}},
		{"another name, left out", "gcp", []string{"digitalocean", "sim"}, "", []string{"it is called gce here, and left out of this binary", "PROVIDERS=gce"}},
		{"another name of what is elsewhere", "vmware", []string{"sim"}, "", []string{"vmware is not a provider here: vsphere: use its own"}},
		{"a letter is missing", "hclou", []string{"hcloud", "sim"}, "", []string{"hclou is not a provider, did you mean hcloud? Compiled into this binary: hcloud, sim"}},
		{"letters are swapped", "openstakc", []string{"aws", "openstack"}, "", []string{"did you mean openstack?"}},
		{"its beginning", "open", []string{"aws", "openstack"}, "", []string{"did you mean openstack?"}},
		{"nearly another name", "hetzer", []string{"hcloud", "sim"}, "", []string{"did you mean hcloud?"}},
		{"none compiled in", "", nil, "", []string{"no provider is compiled", "aws, digitalocean, gce, hcloud, openstack, sim, static"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := chooseProvider(tt.flag, tt.compiled)
			if got != tt.want || (err != nil) != (tt.errorHas != nil) {
				t.Fatalf("got %q, %v", got, err)
			}
			for _, want := range tt.errorHas {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one line with %q", err, want)
				}
			}
			if err != nil && strings.Count(err.Error(), " here") > 1 {
				t.Errorf("error %q says something twice", err)
			}
		})
	}
}

// What resembles nothing is not guessed at.
func TestSimilar(t *testing.T) {
	for _, name := range []string{"acme", "foo", "fo", "kubernetes", "xyz", ""} {
		if found := similar(name, inTree); len(found) > 0 {
			t.Errorf("%q resembles %v", name, found)
		}
	}
}

// A provider that is in the tree but not in the list would be called unknown by slim builds.
func TestInTreeListsEveryProviderFile(t *testing.T) {
	files, err := filepath.Glob("../../internal/compiled/provider_*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding provider files: %v, %d files", err, len(files))
	}
	var names []string
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "provider_"), ".go")
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, inTree) {
		t.Errorf("inTree is %v, the provider files are for %v", inTree, names)
	}
}

// Every name that means something else leads to one that is known, and no advice is about a provider
// of ours.
func TestElsewhere(t *testing.T) {
	for name, meant := range cloudname.Others() {
		if _, known := cloudname.Elsewhere()[meant]; !known && !slices.Contains(inTree, meant) {
			t.Errorf("%s means %s, of which nothing is known", name, meant)
		}
		if cloudname.Advice(name) != "" {
			t.Errorf("%s has advice of its own and another spelling", name)
		}
	}
	for name, advice := range cloudname.Elsewhere() {
		if slices.Contains(inTree, name) || advice == "" || strings.Contains(advice, "\n") {
			t.Errorf("%s: %q", name, advice)
		}
	}
}
