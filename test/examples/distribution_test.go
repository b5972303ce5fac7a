package examples

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	helmv1 "github.com/k3s-io/helm-controller/pkg/apis/helm.cattle.io/v1"
)

func TestK3s(t *testing.T) {
	objects := documents(t, "k3s/helmchart.yaml")
	chart := strict[helmv1.HelmChart](t, objects[1])
	checkHelmChart(t, chart)
	checkRelease(t, "k3s", "hcloud", chart.Spec.ValuesContent, secretOf(t, objects[0]))
}

func TestRKE2(t *testing.T) {
	objects := documents(t, "rke2/helmchart.yaml")
	chart, config := strict[helmv1.HelmChart](t, objects[0]), strict[helmv1.HelmChartConfig](t, objects[1])
	checkHelmChart(t, chart)
	if config.APIVersion != helmv1.SchemeGroupVersion.String() || config.Kind != "HelmChartConfig" || config.Name != chart.Name || config.Namespace != chart.Namespace {
		t.Errorf("the %s of %s is for %s/%s", config.Kind, config.APIVersion, config.Namespace, config.Name)
	}
	// No key is in both, so that one text is what helm makes of two.
	checkRelease(t, "rke2", "openstack", chart.Spec.ValuesContent+"\n"+config.Spec.ValuesContent, secretOf(t, objects[2]))
}

func checkHelmChart(t *testing.T, chart helmv1.HelmChart) {
	t.Helper()
	if chart.APIVersion != helmv1.SchemeGroupVersion.String() || chart.Kind != "HelmChart" {
		t.Errorf("it is a %s of %s", chart.Kind, chart.APIVersion)
	}
	if chart.Namespace != "kube-system" || chart.Spec.TargetNamespace != "kube-system" || chart.Name != name {
		t.Errorf("it is %s/%s for %s", chart.Namespace, chart.Name, chart.Spec.TargetNamespace)
	}
	if !chart.Spec.Bootstrap {
		t.Error("without bootstrap its job waits for initialised Nodes")
	}
	checkSource(t, "HelmChart", strings.TrimSuffix(chart.Spec.Chart, "/"+name), path.Base(chart.Spec.Chart), chart.Spec.Version)
}

func TestTalos(t *testing.T) {
	manifests := strict[talosPatch](t, read(t, folder, "talos/patch.yaml")).Cluster.InlineManifests
	if len(manifests) != 1 || manifests[0].Name == "" {
		t.Fatalf("manifests are %v", manifests)
	}
	checkRelease(t, "talos", "hcloud", string(read(t, folder, "talos/values.yaml")), secretOf(t, []byte(manifests[0].Contents)))
}

func TestKops(t *testing.T) {
	cluster := strict[kopsCluster](t, read(t, folder, "kops/cluster.yaml"))
	if cluster.APIVersion != "kops.k8s.io/v1alpha2" || cluster.Kind != "Cluster" {
		t.Errorf("it is a %s of %s", cluster.Kind, cluster.APIVersion)
	}
	controllers := cluster.Spec.CloudControllerManager.Controllers
	if len(controllers) == 0 {
		t.Error("without a list upstream's CCM runs all controllers")
	}
	for _, controller := range controllers {
		if !strings.HasPrefix(controller, "-") {
			t.Errorf("upstream's CCM runs %s", controller)
		}
	}
	for role, policy := range cluster.Spec.AdditionalPolicies {
		if role != "master" || !json.Valid([]byte(policy)) {
			t.Errorf("the policy of %s is\n%s", role, policy)
		}
	}
	checkAddon(t, cluster)
	values := string(read(t, folder, "kops/values.yaml"))
	pod := checkRelease(t, "kops", "aws", values, nil)
	// Upstream's Pods hold lease and port of that name.
	for _, flag := range []string{"--leader-elect-resource-name=multicloud-ccm", "--secure-port=10358", "--cluster-name=" + cluster.Name} {
		if !slices.Contains(pod.Containers[0].Args, flag) {
			t.Errorf("the flags %q lack %s", pod.Containers[0].Args, flag)
		}
	}
}

// checkAddon compares the addon with what the commands of cluster.yaml upload.
func checkAddon(t *testing.T, cluster kopsCluster) {
	t.Helper()
	addons := strict[kopsAddons](t, read(t, folder, "kops/addon.yaml"))
	if len(cluster.Spec.Addons) != 1 || len(addons.Spec.Addons) != 1 || addons.Kind != "Addons" {
		t.Fatalf("%d addons, %d of %s", len(cluster.Spec.Addons), len(addons.Spec.Addons), addons.Kind)
	}
	addon, header := addons.Spec.Addons[0], string(read(t, folder, "kops/cluster.yaml"))
	bucket := strings.TrimSuffix(cluster.Spec.Addons[0].Manifest, "addon.yaml")
	for _, command := range []string{"aws s3 cp examples/install/kops/addon.yaml " + bucket + "addon.yaml", "aws s3 cp v" + addon.Version + ".yaml " + bucket + addon.Manifest} {
		if !strings.Contains(header, command+"\n") {
			t.Errorf("cluster.yaml has no command %q", command)
		}
	}
	checkSource(t, "addon", repository, name, addon.Version)
	if addon.Selector["k8s-addon"] != addon.Name || !strings.Contains(string(read(t, folder, "kops/values.yaml")), "k8s-addon: "+addon.Name+"}") {
		t.Errorf("the selector of %s is %v, and not that of values.yaml", addon.Name, addon.Selector)
	}
}
