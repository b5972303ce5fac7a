package chart

import (
	"bytes"
	"fmt"
)

// Platform is something that builds clusters, and what has to be set on it.
type Platform struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Kubelet is what makes kubelets wait for us.
	Kubelet string `json:"kubelet"`
	// Embedded is what to do about a cloud controller manager of its own, "" when it has
	// none.
	Embedded string `json:"embedded,omitempty"`
	// Balancers is what else to set where load balancers are to come from here, because the platform makes some too.
	Balancers string `json:"balancers,omitempty"`
	// Signer is who signs the certificates that kubelets serve with, "" where the cluster does, as it is asked for them.
	Signer string `json:"signer,omitempty"`
	// Note is what goes wrong most.
	Note string `json:"note"`
	// APIServer is what apiServer.mode auto means, on the host network of a control-plane
	// node, and Port the API server's port there.
	APIServer string `json:"apiServer"`
	Port      int    `json:"port"`
	// Everywhere says that every node has that address, not only those of the control plane.
	Everywhere bool `json:"everywhere,omitempty"`
	// Taints are the platform's own on nodes of the control plane.
	Taints []taint `json:"taints,omitempty"`
}

type taint struct {
	Key    string `json:"key"`
	Effect string `json:"effect"`
}

func platforms() []Platform {
	return []Platform{
		{Name: "kubeadm", Title: "kubeadm", APIServer: "node", Port: 6443,
			Kubelet: "nodeRegistration.kubeletExtraArgs with cloud-provider=external, in InitConfiguration and in JoinConfiguration",
			Note:    "Set it before a node first registers; never set it on kube-apiserver, which no longer has the flag."},
		{Name: "k3s", Title: "k3s", APIServer: "localhost", Port: 6443,
			Kubelet:  "--kubelet-arg=cloud-provider=external on servers and agents",
			Embedded: "servers with --disable-cloud-controller", Balancers: "--disable=servicelb for load balancers from here", Signer: "its server",
			Note: "The embedded one writes provider-IDs that start with k3s:// and can never change: such nodes have to be deleted and registered again, unless the provider is static, see static.schemes."},
		{Name: "rke2", Title: "RKE2", APIServer: "localhost", Port: 6443,
			Kubelet:  "cloud-provider-name: external in /etc/rancher/rke2/config.yaml of every node",
			Embedded: "disable-cloud-controller: true in config.yaml of the servers", Signer: "its server",
			Note:   "Install the chart as a HelmChart with bootstrap: true, because RKE2's own charts wait for initialised nodes.",
			Taints: []taint{{"node-role.kubernetes.io/etcd", "NoExecute"}}},
		{Name: "talos", Title: "Talos", APIServer: "localhost", Port: 7445, Everywhere: true,
			Kubelet: "cluster.externalCloudProvider.enabled: true in the machine configuration of every node",
			Note:    "KubePrism, on by default, is the API server on port 7445 of every node."},
		{Name: "k0s", Title: "k0s", APIServer: "service", Port: 6443,
			Kubelet:  "k0s worker --enable-cloud-provider",
			Embedded: "controllers without --enable-k0s-cloud-provider",
			Note:     "Controllers are no nodes unless they run with --enable-worker: set controlPlane.required=false."},
		{Name: "kops", Title: "kOps", APIServer: "service", Port: 443,
			Kubelet:  "spec.kubelet.cloudProvider: external, which kOps sets itself for its clouds",
			Embedded: "switch all of its controllers off in spec.cloudControllerManager.controllers; kOps would apply a removed addon again", Signer: "kOps",
			Note: "Its Pods keep their lease and port 10258: set leaderElection.resourceName and metrics.port. See examples/install/kops/cluster.yaml."},
	}
}

// writePlatforms writes the reference page.
func writePlatforms(b *bytes.Buffer) {
	b.WriteString("# Platforms\n\n" + header)
	b.WriteString("What `platform` of the chart knows. Kubelets must run with an external cloud provider *before* a node first registers.\n\n")
	b.WriteString("| `platform` | Kubelet | Its own cloud controller manager | API server with `apiServer.mode=auto` | Note |\n|---|---|---|---|---|\n")
	for _, p := range platforms() {
		address := "Service `kubernetes`"
		switch p.APIServer {
		case "node":
			address = fmt.Sprintf("the node's address, port %d", p.Port)
		case "localhost":
			address = fmt.Sprintf("127.0.0.1:%d", p.Port)
		}
		embedded := orDash(p.Embedded)
		if p.Balancers != "" {
			embedded += ", and " + p.Balancers
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", p.Name, p.Kubelet, embedded, address, p.Note)
	}
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
