package program

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/node"
	"k8s.io/utils/net"
)

// addSetup declares what has to be known of the cluster before the first spec. A dry run leaves it out.
func addSetup() {
	ginkgo.BeforeSuite(func(ctx context.Context) {
		client, err := framework.LoadClientset()
		framework.ExpectNoError(err, "reading the kubeconfig")
		timeouts := framework.NewTimeoutContext()
		framework.ExpectNoError(node.WaitForAllNodesSchedulable(ctx, client, timeouts.NodeSchedulable), "waiting for the nodes")

		nodes, err := node.GetReadySchedulableNodes(ctx, client)
		framework.ExpectNoError(err, "listing the nodes")
		framework.TestContext.CloudConfig.NumNodes = len(nodes.Items)

		service, err := client.CoreV1().Services(metav1.NamespaceDefault).Get(ctx, "kubernetes", metav1.GetOptions{})
		framework.ExpectNoError(err, "reading the API server's Service")
		framework.TestContext.IPFamily = "ipv4"
		if net.IsIPv6String(service.Spec.ClusterIP) {
			framework.TestContext.IPFamily = "ipv6"
		}
	})
}
