package framework

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/firewall"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/tagging"
)

// Options configure one cloud.
type Options struct {
	Provider registry.Provider
	// Config is what the provider's constructor gets. Its Transport is what carries the
	// requests in the end, transport.Base when nil; New puts the limits around it.
	Config cloud.Config
	// Warnings are what is odd about the environment, to be told at the start.
	Warnings []string
	// Waits is told why the driver cannot be built yet where that may pass, see cloud.MayPass: it is tried again, until Open's
	// context ends. Where it is nil any failure is the end.
	Waits func(error)
	// ClusterID is in the ownership tags of everything created; Config.ClusterName when "".
	ClusterID string
	// FormerClusterIDs are ids that the cluster had before.
	FormerClusterIDs []string
	// Mode other than Live changes neither the cloud nor Kubernetes: Kubernetes writes are
	// sent as server-side dry runs. Such a process must not share its lease with a live one.
	Mode   run.Mode
	Tuning Tuning
	// Adoption says which load balancers Services may take over.
	Adoption safety.Adoption
	// Tagging is for the tagging controller, where it runs, and KubeletCertificates for kubelet-serving-certificate.
	Tagging             tagging.Settings
	KubeletCertificates KubeletCertificates
}

// Tuning are the knobs. Start from DefaultTuning; zero times have their default.
type Tuning struct {
	// NodeBurst is how long node events are collected before the balancers are told.
	NodeBurst time.Duration
	// Reensure is how often every balancer is compared with the cloud, to repair drift.
	Reensure time.Duration
	// QPS overrides the rate derived from the cloud's published limits, in requests per
	// second; 0 leaves it.
	QPS float64
	// KeepNodes never deletes a Node, whatever happened to its machine.
	KeepNodes bool
	// NodeNetworks are networks of which no cloud knows: a kubelet's --node-ip in one of them is its machine's, see NodeIPs.
	NodeNetworks []netip.Prefix
	// DeniedPorts are ports of nodes that the firewall never opens for clients.
	DeniedPorts firewall.Ports
	Instances   instance.Policy
	Brake       safety.BrakeOptions
}

// DefaultTuning returns the values everybody should use.
func DefaultTuning() Tuning {
	return Tuning{Instances: instance.DefaultPolicy(), Brake: safety.DefaultBrake()}.withDefaults()
}

func (t Tuning) withDefaults() Tuning {
	t.NodeBurst = cmp.Or(t.NodeBurst, 5*time.Second)
	t.Reensure = cmp.Or(t.Reensure, 45*time.Minute)
	return t
}
