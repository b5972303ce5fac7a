package controlplane

import (
	"io"
	"net/netip"
)

// Options configure [Build] and [Start]. The zero value is useful.
type Options struct {
	// CacheDir is where built programs are kept, one directory per version.
	// Default: $MCCM_CACHE, else multicloud-ccm in the user's cache directory.
	CacheDir string

	// Dir is where logs, keys, kubeconfigs and data go; it must not be in use.
	// Default: a new directory in the system's temporary one. A path of more
	// than about 90 bytes is too long for the sockets in it.
	Dir string

	// Address is the IPv4 address of this machine that the API server listens
	// on. Default: 127.0.0.1, which only programs on this machine reach.
	Address netip.Addr

	// Progress receives one line per step of a build and of a start.
	// Default: nowhere.
	Progress io.Writer

	// Controllers are the controllers that kube-controller-manager runs, by
	// the names of its --controllers flag. Default: [DefaultControllers].
	// With [NoControllers] no kube-controller-manager is started.
	Controllers []string

	// Installed takes programs that are on this machine, in versions that fit, before it builds
	// them: those of KUBEBUILDER_ASSETS, of setup-envtest and of PATH. Tests do not set it: they run
	// with the version that is pinned.
	Installed bool

	// Scheduler runs kube-scheduler, which [BuildNode] builds.
	Scheduler bool

	// ServiceCIDR is the range of Service addresses, for dual stack two ranges
	// with a comma between. Default: [DefaultServiceCIDR].
	ServiceCIDR string

	// ClusterCIDR is the range that node-ipam-controller takes pod ranges
	// from, when that controller runs. Default: [DefaultClusterCIDR], which
	// is enough for 16384 nodes.
	ClusterCIDR string

	// Copy is a running control plane, with whose data this one begins, as one
	// that was restored from a backup of it. Default: nil, no data.
	Copy *ControlPlane

	// Audit turns the audit log on. Default: nil, no audit log.
	Audit *Audit

	// APIServerArgs, ControllerManagerArgs and SchedulerArgs are appended to the
	// flags of the program. Of a flag with one value, the one given here wins.
	APIServerArgs         []string
	ControllerManagerArgs []string
	SchedulerArgs         []string

	// older is the module whose API server [KubernetesEnv] asks for; empty for the pinned one.
	older string

	// KeepDir leaves the directory with logs, keys and data after Stop.
	KeepDir bool
}

const (
	// DefaultServiceCIDR is dual stack, with IPv4 first.
	DefaultServiceCIDR = "10.96.0.0/16,fd00:10:96::/112"
	// DefaultClusterCIDR holds a /24 for each of 16384 nodes.
	DefaultClusterCIDR = "10.128.0.0/10"
)

// Names of controllers that tests often add to [DefaultControllers].
const (
	// NodeIPAM gives every node a pod range out of Options.ClusterCIDR.
	NodeIPAM = "node-ipam-controller"
	// NodeLifecycle moves the not-ready taints and turns silent nodes Unknown.
	NodeLifecycle = "node-lifecycle-controller"
	// EndpointSlice fills in EndpointSlices for Services.
	EndpointSlice = "endpointslice-controller"
)

// NoControllers as Options.Controllers means no kube-controller-manager.
var NoControllers = []string{}

// DefaultControllers returns the controllers that make the API behave as
// users expect: default ServiceAccounts, the root CA ConfigMap, deletion of
// namespaces and of owned objects. The slice is the caller's to append to.
func DefaultControllers() []string {
	return []string{
		"serviceaccount-controller",
		"serviceaccount-token-controller",
		"root-ca-certificate-publisher-controller",
		"namespace-controller",
		"garbage-collector-controller",
	}
}

// withDefaults returns o with every default filled in, except CacheDir, whose
// default depends on the machine.
func (o Options) withDefaults() Options {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.Controllers == nil {
		o.Controllers = DefaultControllers()
	}
	if !o.Address.IsValid() {
		o.Address = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	if o.ServiceCIDR == "" {
		o.ServiceCIDR = DefaultServiceCIDR
	}
	if o.ClusterCIDR == "" {
		o.ClusterCIDR = DefaultClusterCIDR
	}
	return o
}
