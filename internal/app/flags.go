package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/firewall"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/tagging"
)

// flags are our own flags beside the framework's.
type flags struct {
	clusterID   string
	formerIDs   []string
	dryRun      bool
	deniedPorts []string
	// networks is the text of tuning.NodeNetworks, which problems reads.
	networks     []string
	nodeDeletion bool
	tuning       framework.Tuning
	tagging      tagging.Settings
	// adopt is the text of adoption, which problems reads.
	adopt    []string
	adoption safety.Adoption
	// certificateNetworks is the text of certificates.Networks, which problems reads.
	certificateNetworks []string
	certificates        framework.KubeletCertificates
}

func newFlags() *flags {
	return &flags{
		nodeDeletion: true, deniedPorts: firewall.DefaultDenied(), tuning: framework.DefaultTuning(), tagging: tagging.Settings{Resources: []string{"instance"}, Workers: 10},
		adopt: []string{string(safety.AdoptUnowned)}, certificates: framework.KubeletCertificates{MostLife: certificate.DefaultMostLife},
	}
}

// sets declares the flags. Their usage texts are the documentation.
func (f *flags) sets() cliflag.NamedFlagSets {
	var sets cliflag.NamedFlagSets
	f.common(sets.FlagSet("multicloud"))
	f.nodes(sets.FlagSet("nodes"))
	f.safety(sets.FlagSet("node safety"))
	f.balancers(sets.FlagSet("load balancer safety"))
	f.firewall(sets.FlagSet("firewall"))
	f.tags(sets.FlagSet("tagging"))
	f.kubeletCertificates(sets.FlagSet("kubelet certificates"))
	return sets
}

func (f *flags) common(fs *pflag.FlagSet) {
	fs.StringVar(&f.clusterID, "cluster-id", f.clusterID, "Identifies the cluster in the ownership tags of everything created in the cloud. The value of --cluster-name when empty.")
	fs.StringSliceVar(&f.formerIDs, "former-cluster-ids", f.formerIDs, "Ids that the cluster had before, or its names where it had no id. What the ownership tags of load balancers and their parts name so counts as this cluster's, and gets the present id. doctor says when the flag can go. Never the id of another cluster that is there.")
	fs.BoolVar(&f.dryRun, "dry-run", f.dryRun, "Change nothing: what would be done in the cloud is printed as plans on the standard output, writes to Kubernetes are sent as server-side dry runs. It takes no lease unless --leader-elect is given, so it can run beside the live process.")
	fs.DurationVar(&f.tuning.Reensure, "service-resync-period", f.tuning.Reensure, "How often every load balancer is compared with the cloud to repair drift. Costs reads only.")
	fs.DurationVar(&f.tuning.NodeBurst, "node-burst-window", f.tuning.NodeBurst, "How long changes of Nodes are collected before load balancers are told, so that a burst costs one update each.")
	fs.Float64Var(&f.tuning.QPS, "cloud-api-qps", f.tuning.QPS, "Requests per second to the cloud. Derived from the cloud's published limits when 0.")
}

func (f *flags) nodes(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.networks, "node-networks", f.networks, "Networks of which no cloud knows, such as 100.64.0.0/10 of a VPN. A kubelet's --node-ip in one of them becomes the InternalIP of its Node, unless another machine or another Node has it. Targets of load balancers, routes and the match of Node and machine stay with what the cloud knows. A network must hold nothing but machines: no Service or Pod IPs, no gateways.")
}

func (f *flags) safety(fs *pflag.FlagSet) {
	fs.BoolVar(&f.nodeDeletion, "node-deletion", f.nodeDeletion, "Delete Nodes whose machine is proven to be gone. With false no Node is ever deleted.")
	fs.DurationVar(&f.tuning.Instances.Grace, "node-deletion-grace", f.tuning.Instances.Grace, "A Node younger than this is never judged gone.")
	fs.DurationVar(&f.tuning.Instances.ConfirmGap, "node-deletion-confirm-gap", f.tuning.Instances.ConfirmGap, "The least time between the two direct reads that must both say a machine is gone.")
	fs.IntVar(&f.tuning.Brake.Max, "node-deletion-max", f.tuning.Brake.Max, "Nodes that may be deleted per window, unless --node-deletion-fraction allows more; never more than half of all for this reason.")
	fs.Float64Var(&f.tuning.Brake.Fraction, "node-deletion-fraction", f.tuning.Brake.Fraction, "Share of all Nodes that may be deleted per window, where that is more than --node-deletion-max.")
	fs.DurationVar(&f.tuning.Brake.Window, "node-deletion-window", f.tuning.Brake.Window, "Length of the window of the deletion brake.")
	fs.DurationVar(&f.tuning.Instances.MassWait, "node-deletion-mass-wait", f.tuning.Instances.MassWait, "How long more machines than a window may hold must be missing at once before their Nodes are deleted without a release by an operator; three times as long when the account shows no machine at all.")
}

func (f *flags) balancers(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.adopt, "adoption", f.adopt, "Which load balancers a Service may take over when it names one by id or name: \"unowned\", those that carry nobody's ownership tags; \"own\", only what is provably its own; \"any\", also those of other Services and clusters, by id. Items id=namespace/name let one Service have one load balancer, whoever has it now.")
}

func (f *flags) firewall(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.deniedPorts, "firewall-denied-ports", f.deniedPorts, "Ports of nodes, and ranges of them, that the firewall controller never opens for clients, whatever a Service asks for. The default is those of SSH, the control plane, the kubelet and network overlays. Health checks of load balancers still reach them.")
}

// tags declares the flags of the tagging controller, by the names they have in AWS' own CCM.
func (f *flags) tags(fs *pflag.FlagSet) {
	fs.StringToStringVar(&f.tagging.Tags, "tags", nil, "Tags the tagging controller gives to the machines of Nodes: key=value,key=value. Needs --controllers=*,tagging and a cloud whose machines have tags. What is taken out of here later stays on machines.")
	fs.StringSliceVar(&f.tagging.Resources, "resources", f.tagging.Resources, "What the tagging controller tags: \"instance\", and on AWS \"volume\" for the disks that go with their instance.")
	fs.Float64Var(&f.tagging.Rate, "tagging-controller-rate-limit", 0, "Machines per second the tagging controller tags at most, together with --tagging-controller-burst-limit. 0 is no limit besides that of the cloud.")
	fs.IntVar(&f.tagging.Burst, "tagging-controller-burst-limit", 0, "Machines the tagging controller tags at once before --tagging-controller-rate-limit counts.")
	fs.IntVar(&f.tagging.Workers, "tagging-controller-concurrent-node-syncs", f.tagging.Workers, "Nodes the tagging controller labels at the same time.")
	fs.Bool("tagging-controller-enable-batching", true, "Accepted for compatibility: machines are always tagged many at a time.")
}

func (f *flags) kubeletCertificates(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.certificateNetworks, "kubelet-certificate-networks", nil, "Networks of which no cloud knows, such as 100.64.0.0/10 of a VPN: a kubelet may have an address of them in the certificate that it serves with, where its Node shows the address and nobody else does, which is the kubelet's own word. Needs --controllers=*,kubelet-serving-certificate, as the other flags of this section. --node-networks does not imply it.")
	fs.StringSliceVar(&f.certificates.Reserved, "kubelet-certificate-reserved", nil, "Names, addresses, networks and servers that no kubelet gets a certificate for, and no machine that has one of them: load balancers in front of the API server, and machines of the account that are no Nodes and that clients verify with the same authority. What the API server has, and the cluster addresses of Services, are reserved always.")
	fs.DurationVar(&f.certificates.MostLife, "kubelet-certificate-max-duration", certificate.DefaultMostLife, "The longest life of a certificate that a kubelet may ask for, at least 10m. One that asks for none gets what the signer gives.")
	fs.BoolVar(&f.certificates.Deny, "kubelet-certificate-deny", false, "Deny requests of kubelets that contradict what the cloud tells of their machines. By default they stay pending, so that others may approve them.")
}

// problems returns the values that make no sense, in one line. Zero is one of them: the kernel
// takes it for the default.
func (f *flags) problems() error {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	var err error
	if f.tuning.DeniedPorts, err = firewall.ParsePorts(f.deniedPorts); err != nil {
		add("--firewall-denied-ports: %v", err)
	}
	if f.tuning.NodeNetworks, err = framework.ParseNodeNetworks(f.networks); err != nil {
		add("--node-networks: %v", err)
	}
	if f.certificates.Networks, err = framework.ParseNodeNetworks(f.certificateNetworks); err != nil {
		add("--kubelet-certificate-networks: %v", err)
	}
	if err := f.certificates.Problem(); err != nil {
		add("--kubelet-certificate-reserved: %v", err)
	}
	for _, duration := range []struct {
		name  string
		value time.Duration
	}{
		{"service-resync-period", f.tuning.Reensure}, {"node-burst-window", f.tuning.NodeBurst},
		{"node-deletion-grace", f.tuning.Instances.Grace}, {"node-deletion-confirm-gap", f.tuning.Instances.ConfirmGap},
		{"node-deletion-window", f.tuning.Brake.Window}, {"node-deletion-mass-wait", f.tuning.Instances.MassWait},
	} {
		if duration.value < time.Millisecond {
			add("--%s=%s must be at least 1ms", duration.name, duration.value)
		}
	}
	if f.certificates.MostLife < judge.LeastLife {
		add("--kubelet-certificate-max-duration=%s must be at least %s: Kubernetes lets nobody ask for a certificate with a shorter life", f.certificates.MostLife, judge.LeastLife)
	}
	if f.tuning.Brake.Max < 1 {
		add("--node-deletion-max=%d must be at least 1 (--node-deletion=false keeps all Nodes)", f.tuning.Brake.Max)
	}
	if f.tuning.Brake.Fraction <= 0 || f.tuning.Brake.Fraction > 1 {
		add("--node-deletion-fraction=%g must be more than 0 and at most 1 (--node-deletion=false keeps all Nodes)", f.tuning.Brake.Fraction)
	}
	if f.tuning.QPS < 0 {
		add("--cloud-api-qps=%g must not be negative", f.tuning.QPS)
	}
	if f.adoption, err = safety.ParseAdoption(f.adopt); err != nil {
		add("--adoption: %v", err)
	}
	if len(all) == 0 {
		return nil
	}
	return usagef("%s", strings.Join(all, "; "))
}

func (f *flags) mode() run.Mode {
	if f.dryRun {
		return run.DryRun
	}
	return run.Live
}
