package cluster

import (
	"io"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Options configure [Start]. The zero value is useful.
type Options struct {
	// Nodes is how many there are, 2 by default and 9 at most: node-1, node-2 and so on.
	Nodes int
	// ControlPlane is changed only where a cluster with nodes needs it: its own Dir,
	// Address and Scheduler; where empty also Controllers, and ServiceCIDR and ClusterCIDR
	// without IPv6. By default all controllers run.
	ControlPlane controlplane.Options
	// KubeletArgs are appended to the flags of every kubelet.
	KubeletArgs []string
	// NoPodNetwork leaves pods without a network, so that nodes stay NotReady until
	// [Cluster.AddPodNetwork].
	NoPodNetwork bool
	// Balancers starts a data plane of load balancers, see [Cluster.Plane], and a place for their clients.
	Balancers bool
	// DNS has pods ask a DNS that knows the cluster's Services. Without it, those with dnsPolicy ClusterFirst find nobody to ask.
	DNS bool
	// Progress receives one line per step. Default: nowhere.
	Progress io.Writer
	// KeepDir leaves the folder with all logs after Stop, until the next Start.
	KeepDir bool
}

const (
	maxNodes = 9
	// podRange holds the pods of all nodes. Only nodes know it, so clusters can share it.
	podRange = "10.128.0.0/16"
	// serviceRange holds the Services' addresses, which only nodes know too.
	serviceRange = "10.96.0.0/16"
)

func (o Options) withDefaults() Options {
	if o.Nodes == 0 {
		o.Nodes = 2
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	cp := &o.ControlPlane
	if cp.Progress == nil {
		cp.Progress = o.Progress
	}
	if cp.Controllers == nil {
		cp.Controllers = []string{"*"}
	}
	if cp.ServiceCIDR == "" {
		cp.ServiceCIDR = serviceRange
	}
	cp.ClusterCIDR, cp.Scheduler, cp.KeepDir = podRange, true, true // the folder is the cluster's
	// Names of nodes mean nothing to the machine.
	cp.APIServerArgs = append([]string{"--kubelet-preferred-address-types=InternalIP"}, cp.APIServerArgs...)
	// A node is NotReady when it has missed its Lease, see config/kubelet.yaml.
	cp.ControllerManagerArgs = append([]string{"--node-monitor-grace-period=20s", "--node-monitor-period=1s"}, cp.ControllerManagerArgs...)
	return o
}
