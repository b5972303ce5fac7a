package platform

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// k3s is config.yaml of k3s, whose keys are the names of its flags.
type k3s struct {
	KubeletArg             []string `json:"kubelet-arg"`
	DisableCloudController bool     `json:"disable-cloud-controller"`
	Disable                []string `json:"disable"`
}

func TestK3s(t *testing.T) {
	for _, file := range []string{"k3s/server.yaml", "k3s/agent.yaml"} {
		config := strict[k3s](t, file)
		want := k3s{KubeletArg: []string{"cloud-provider=external"}}
		if file == "k3s/server.yaml" {
			want.DisableCloudController, want.Disable = true, []string{"servicelb"}
		}
		if diff := cmp.Diff(want, config); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// rke2 is config.yaml of RKE2, which gives cloud-provider-name to the kubelet.
type rke2 struct {
	CloudProviderName      string `json:"cloud-provider-name"`
	DisableCloudController bool   `json:"disable-cloud-controller"`
}

func TestRKE2(t *testing.T) {
	for _, file := range []string{"rke2/server.yaml", "rke2/agent.yaml"} {
		config := strict[rke2](t, file)
		want := rke2{CloudProviderName: "external", DisableCloudController: file == "rke2/server.yaml"}
		if config != want {
			t.Errorf("%s: %+v, want %+v", file, config, want)
		}
	}
}

// talos is a patch of Talos' machine configuration, v1alpha1.
type talos struct {
	Cluster struct {
		ExternalCloudProvider struct {
			Enabled bool `json:"enabled"`
		} `json:"externalCloudProvider"`
	} `json:"cluster"`
}

func TestTalos(t *testing.T) {
	if !strict[talos](t, "talos/patch.yaml").Cluster.ExternalCloudProvider.Enabled {
		t.Error("not enabled")
	}
}

// k0sctl is k0sctl's description of a cluster.
type k0sctl struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Hosts []struct {
			Role string `json:"role"`
			SSH  struct {
				Address string `json:"address"`
			} `json:"ssh"`
			InstallFlags []string `json:"installFlags"`
		} `json:"hosts"`
	} `json:"spec"`
}

func TestK0s(t *testing.T) {
	cluster := strict[k0sctl](t, "k0s/k0sctl.yaml")
	if cluster.APIVersion != "k0sctl.k0sproject.io/v1beta1" || cluster.Kind != "Cluster" {
		t.Errorf("it is a %s of %s", cluster.Kind, cluster.APIVersion)
	}
	roles := map[string][]string{}
	for _, host := range cluster.Spec.Hosts {
		roles[host.Role] = host.InstallFlags
	}
	if !slices.Equal(roles["worker"], []string{"--enable-cloud-provider"}) || len(roles["controller"]) > 0 {
		t.Errorf("flags are %v", roles)
	}
}
