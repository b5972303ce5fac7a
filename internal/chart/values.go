package chart

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

// declared returns the chart's own values, in the order of values.yaml. Those of the
// providers come behind the identity of the cluster.
func declared(providers []string, platforms []string, blocks []Value) []Value {
	return slices.Concat(identity(providers, platforms), blocks, loops(), image(), workload(), observability(), escapes())
}

func identity(providers, platforms []string) []Value {
	return []Value{
		{Name: "provider", Section: "What to run on", Enum: append([]string{""}, providers...),
			Doc: "The cloud. Required."},
		{Name: "clusterName", Flag: "cluster-name", Always: true, Default: "", Pattern: `^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$`,
			Doc: "Name of the cluster, part of names and ownership tags in the cloud. Required, different for every cluster of an account unless clusterID is, and not to be changed later. With a provider that makes nothing in a cloud, such as static, any name will do."},
		{Name: "clusterID", Flag: "cluster-id"},
		{Name: "formerClusterIDs", Flag: "former-cluster-ids"},
		{Name: "platform", Enum: append([]string{""}, platforms...),
			Doc: "What built the cluster. Chooses the API server's address (see apiServer.mode) and the kubelet line of the notes; \"\" is fine."},
	}
}

// adoptionItem is what safety.adoption is a list of, as --adoption reads it.
const adoptionItem = `(unowned|own|any|[^",\s]+=[a-z0-9]([a-z0-9-]*[a-z0-9])?/[a-z0-9]([a-z0-9-]*[a-z0-9])?)`

// objectName is what names of objects, and of what they begin with, are like.
const objectName = `^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$`

const objectWant = "lower-case letters, digits and -, with a letter or digit at both ends"

// portItem is what controllers.firewall.deniedPorts is a list of.
const portItem = `[ \t]*[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?[ \t]*`

// loops are the controllers and what holds them back.
func loops() []Value {
	return []Value{
		{Name: "controllers", Section: "Controllers and interlocks", Doc: "Which loops run. Permissions follow.", Fields: []Value{
			{Name: "node", Doc: "Initialises Nodes: provider-ID, addresses, zone, taint.", Fields: []Value{
				{Name: "enabled", Type: Bool, Default: true, Doc: "Run it."},
				{Name: "concurrency", Flag: "concurrent-node-syncs", Min: 1, Max: 1000},
			}},
			{Name: "nodeLifecycle", Doc: "Taints Nodes whose machine is off, deletes those whose machine is gone.", Fields: []Value{
				{Name: "enabled", Type: Bool, Default: true, Doc: "Run it. Without it there is no permission to delete Nodes either."},
				{Name: "concurrency", Flag: "concurrent-node-lifecycle-syncs", Min: 1, Max: 1000},
				{Name: "period", Flag: "node-monitor-period", Doc: "How often Nodes that are not Ready are looked at."},
			}},
			{Name: "service", Doc: "Gives Services of type LoadBalancer a balancer.", Fields: []Value{
				{Name: "enabled", Type: Bool, Default: true, Doc: "Run it, where the cloud has balancers."},
				{Name: "concurrency", Flag: "concurrent-service-syncs", Min: 1, Max: 1000, Doc: "Services worked on at the same time."},
				{Name: "resyncPeriod", Flag: "service-resync-period"},
				{Name: "nodeBurstWindow", Flag: "node-burst-window"},
			}},
			{Name: "route", Doc: "Programs routes to the Pods of every Node, where the network add-on leaves that to the cloud.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Run it. Needs clusterCIDR, and a cloud that has routes."},
				{Name: "clusterCIDR", Flag: "cluster-cidr", Doc: "The Pod network, or an IPv4 and an IPv6 one with a comma between."},
				{Name: "period", Flag: "route-reconciliation-period", Doc: "How often routes are compared with the cloud, besides when Nodes join."},
			}},
			{Name: "firewall", Doc: "Keeps the cloud's firewall in line with Services.", Fields: []Value{
				{Name: "enabled", Type: Bool, Default: true, Doc: "Run it, where the cloud has a firewall and the provider's settings name one."},
				{Name: "deniedPorts", Flag: "firewall-denied-ports", Pattern: `^(` + portItem + `(,` + portItem + `)*)?$`, Empty: true,
					Want: "ports and ranges of them, such as 22,2379-2381, or \"\" for none"},
			}},
			{Name: "tagging", Doc: "Gives the machines of Nodes tags of your choice.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Run it. Needs tags, and a cloud whose machines can have them."},
				{Name: "tags", Flag: "tags", Pattern: `^([^=,]+=.*)?$`, Want: "tags such as team=shop,env=prod", Doc: "The tags: key=value,key=value. What is taken out of here later stays on machines."},
				{Name: "resources", Flag: "resources", Doc: "What is tagged: instance, or instance,volume for the disks that go with it too."},
			}},
			{Name: "kubeletServingCertificate", Doc: "Approves the certificates that kubelets serve with (serverTLSBootstrap), where the cloud proves whose the addresses in them are.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Run it. Needs a cloud that tells of machines, so not the provider static, and kubelets that ask for certificates, so not k3s, RKE2 and kOps."},
				{Name: "networks", Flag: "kubelet-certificate-networks", Doc: "Networks of which no cloud knows, such as that of a VPN, with commas between. A kubelet may have an address of them in its certificate."},
				{Name: "reserved", Flag: "kubelet-certificate-reserved", Doc: "Names, addresses, networks and servers that no kubelet gets a certificate for, with commas between: load balancers in front of the API server, and machines of the account that are no Nodes."},
				{Name: "maxDuration", Flag: "kubelet-certificate-max-duration", Min: judge.LeastLife.Seconds(), Want: "a duration of at least 10m, which is the least that Kubernetes lets kubelets ask for",
					Doc: "The longest life of a certificate that a kubelet may ask for, a year by default."},
				{Name: "deny", Flag: "kubelet-certificate-deny", Doc: "Deny requests that contradict the cloud, instead of leaving them to others."},
			}},
		}},
		{Name: "nodes", Doc: "What Nodes are given.", Fields: []Value{
			{Name: "networks", Flag: "node-networks", Doc: "Networks of which no cloud knows, such as that of a VPN, with commas between: 100.64.0.0/10,fd7a:115c:a1e0::/48. A kubelet's --node-ip in one of them becomes the InternalIP of its Node, unless another machine or another Node has it."},
		}},
		interlocks(),
		{Name: "cloudAPI", Doc: "Requests to the cloud.", Fields: []Value{
			{Name: "qps", Flag: "cloud-api-qps", Min: 0, Max: 1e6},
		}},
		{Name: "leaderElection", Doc: "Always on, also with one replica: a rollout may overlap. Only safety.mode dry-run takes no lease.", Fields: []Value{
			{Name: "resourceName", Flag: "leader-elect-resource-name", Pattern: `^[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`, Want: "lower-case letters, digits, - and ., such as cloud-controller-manager",
				Doc: "Name of the lease. The default is upstream's, so that a forgotten upstream CCM and this one never run at once."},
			{Name: "resourceNamespace", Flag: "leader-elect-resource-namespace", Pattern: `^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`, Want: "the name of a namespace", Doc: "Namespace of the lease."},
			{Name: "leaseDuration", Flag: "leader-elect-lease-duration", Doc: "How long standbys wait for a leader that says nothing."},
			{Name: "renewDeadline", Flag: "leader-elect-renew-deadline", Doc: "How long a leader tries to renew before it stops. Less than leaseDuration."},
			{Name: "retryPeriod", Flag: "leader-elect-retry-period", Doc: "Time between attempts. Less than renewDeadline."},
		}},
	}
}

// interlocks are what holds the controllers back.
func interlocks() Value {
	return Value{Name: "safety", Doc: "What keeps a mistake from becoming an outage.", Fields: []Value{
		{Name: "mode", Default: "enforce", Enum: []string{"enforce", "dry-run"},
			Doc: "dry-run changes nothing, logs what it would do as plans and takes no lease, so that it can run beside another cloud controller manager."},
		{Name: "adoption", Flag: "adoption", Pattern: `^(` + adoptionItem + `(,` + adoptionItem + `)*)?$`,
			Want: "unowned, own or any, and items id=namespace/name, with commas between",
			Doc:  "Which load balancers a Service may take over when it names one by id or name: unowned, those that carry nobody's ownership tags; own, only what is provably its own; any, also those of other Services and clusters, by id. Items id=namespace/name, with commas between, let one Service have one load balancer, whoever has it now."},
		{Name: "nodeDeletion", Doc: "When Nodes are deleted, and how many.", Fields: []Value{
			{Name: "enabled", Flag: "node-deletion"},
			{Name: "grace", Flag: "node-deletion-grace"},
			{Name: "confirmGap", Flag: "node-deletion-confirm-gap"},
			{Name: "max", Flag: "node-deletion-max", Min: 1, Max: 1e6, Doc: "Nodes that may be deleted per window, unless fraction allows more; never more than half of all for this reason."},
			{Name: "fraction", Flag: "node-deletion-fraction", Min: 0.000001, Max: 1, Want: "a number above 0 and at most 1, such as 0.2", Doc: "Share of all Nodes that may be deleted per window, where that is more than max."},
			{Name: "window", Flag: "node-deletion-window"},
			{Name: "massWait", Flag: "node-deletion-mass-wait"},
		}},
	}}
}
