package platform

import (
	"testing"

	helmv1 "github.com/k3s-io/helm-controller/pkg/apis/helm.cattle.io/v1"
	"sigs.k8s.io/yaml"
)

func TestHelmChart(t *testing.T) {
	chart := strict[helmv1.HelmChart](t, "rke2/helmchart.yaml")
	if chart.APIVersion != helmv1.SchemeGroupVersion.String() || chart.Kind != "HelmChart" {
		t.Errorf("it is a %s of %s", chart.Kind, chart.APIVersion)
	}
	if !chart.Spec.Bootstrap {
		t.Error("without bootstrap its job waits for initialised nodes")
	}
	if chart.Spec.TargetNamespace != "kube-system" || chart.Namespace != "kube-system" {
		t.Error("not in kube-system")
	}
	var values struct{ Provider, ClusterName, Platform string }
	if err := yaml.UnmarshalStrict([]byte(chart.Spec.ValuesContent), &values); err != nil {
		t.Fatal(err)
	}
	if values.Platform != "rke2" || values.Provider == "" || values.ClusterName == "" {
		t.Errorf("values are %+v", values)
	}
}
