// Package doctor says why a cluster and its cloud do not come together. It only reads, and
// needs no more rights than the controller manager itself.
package doctor

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Options say what to look at.
type Options struct {
	Client kubernetes.Interface
	Cloud  *run.Cloud
	// LeaseNamespace and LeaseName are those of the leader's lease.
	LeaseNamespace, LeaseName string
}

// Run makes all checks. What can't be checked is a finding, so it returns no error.
func Run(ctx context.Context, o Options) Report {
	now := time.Now()
	version, err := o.Client.Discovery().ServerVersion()
	if err != nil {
		return Report{{
			Check: "API server", Level: Failure, Message: err.Error(),
			Fix: "check the address and credentials; a pod that starts before kube-proxy needs the API server's own address (KUBERNETES_SERVICE_HOST)",
		}}
	}
	report := Report{{Check: "API server", Level: OK, Message: "Kubernetes " + version.GitVersion}}
	report = append(report, o.lease(ctx, now))

	listed, findings := o.machines(ctx)
	report = append(report, findings...)
	var all []*corev1.Node
	nodes, err := o.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		report = append(report, unreadable("nodes", err))
	} else {
		all = pointers(nodes.Items)
		report = append(report, judgeView(all, o, listed)...)
		report = append(report, judgeNodes(all, o.Cloud.Concerns, o.absent(ctx, all, listed), o.named(ctx, all), now)...)
	}
	if o.Cloud.Balancers == nil {
		return report
	}
	services, err := o.Client.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return append(report, unreadable("services", err))
	}
	report = append(report, judgeServices(services.Items, o.Cloud.Annotations, now)...)
	return append(report, judgeProxy(ctx, all, services.Items, proxyPort)...)
}

// BeforeUninstall looks for what nobody would look after without a controller manager.
func BeforeUninstall(ctx context.Context, client kubernetes.Interface) Report {
	services, err := client.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return Report{unreadable("services", err)}
	}
	return Report{judgeLeft(services.Items)}
}

func pointers(nodes []corev1.Node) []*corev1.Node {
	var list []*corev1.Node
	for i := range nodes {
		list = append(list, &nodes[i])
	}
	return list
}

func unreadable(what string, err error) Finding {
	return Finding{
		Check: what, Level: Failure, Message: fmt.Sprintf("reading %s: %v", what, err),
		Fix: "apply the RBAC rules of the chart, or of config/rbac",
	}
}
