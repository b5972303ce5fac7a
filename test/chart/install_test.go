package chart_test

import (
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/cli"
	helmrelease "helm.sh/helm/v3/pkg/release"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// helm installs the chart of each provider on a real API server, and uninstalls it: `make e2e-oldest` does so
// on the oldest Kubernetes that the chart accepts.
func TestInstall(t *testing.T) {
	c := aCluster(t)
	for _, provider := range providerNames() {
		t.Run(provider, func(t *testing.T) {
			settings, actions := cli.New(), new(action.Configuration)
			settings.KubeConfig = c.AdminKubeconfig()
			if err := actions.Init(settings.RESTClientGetter(), "kube-system", "secret", func(string, ...any) {}); err != nil {
				t.Fatal(err)
			}
			install := action.NewInstall(actions)
			install.ReleaseName, install.Namespace = "installed", "kube-system"
			release, err := install.RunWithContext(within(t), loadChart(t), tree(t, minimal(provider)))
			if err != nil {
				t.Fatal(err)
			}
			if release.Info.Status != helmrelease.StatusDeployed {
				t.Errorf("the release is %s", release.Info.Status)
			}
			deployments := c.Client().AppsV1().Deployments("kube-system")
			found, err := deployments.List(within(t), metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=installed"})
			if err != nil || len(found.Items) != 1 {
				t.Fatalf("%d Deployments: %v", len(found.Items), err)
			}
			uninstall := action.NewUninstall(actions)
			uninstall.DisableHooks = true // nobody runs Pods here
			if _, err := uninstall.Run("installed"); err != nil {
				t.Fatal(err)
			}
			if _, err := deployments.Get(within(t), found.Items[0].Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("after helm uninstall the Deployment is there: %v", err)
			}
		})
	}
}
