package doctor

// Checks returns the catalogue, in the order in which things depend on each other.
func Checks() []Check {
	return append(append(append(installChecks(), nodeChecks()...), serviceChecks()...), Check{
		ID: "service-left-behind", Scope: Uninstall,
		Looks: "Whether Services still have the finalizer that only a controller manager takes away (`--before-uninstall`).",
		Fix:   "delete the Services first, or uninstall with --no-hooks when another cloud controller manager takes over",
		judge: judgeLeft,
	})
}

func installChecks() []Check {
	return append(append(connection(), running()...), cloudChecks()...)
}

// The checks to which others refer that cannot be made.
const idServer, idSettings = "api-server-unreachable", "settings-invalid"

func connection() []Check {
	return []Check{
		{idServer, Install, "Whether the API server answers; if not, what else on this machine does.",
			"check the address and the network; a Pod that starts before kube-proxy needs the API server's own address (KUBERNETES_SERVICE_HOST, in the chart apiServer.mode)", judgeServer},
		{"cluster-unreadable", Install, "Whether everything that the doctor may read was read.",
			"see the API server's log; run the doctor again", judgeReadable},
		{idSettings, Install, "Whether the controller manager accepts its flags, whether the provider starts with its settings, its file and its flags, and what it says about them.",
			"see the settings on the provider's page: " + settingsPage, judgeSettings},
		{"clock-skew", Install, "How far the clock of this machine is from those of the API server and of the cloud.",
			"set the clock of this machine, and keep it with NTP: certificates, tokens and signed requests are refused otherwise", judgeClock},
		{"control-plane-flags", Install, "Whether kube-apiserver and kube-controller-manager are started with flags of clouds that Kubernetes has removed.",
			"take the flags out of the manifests of the control plane (kubeadm: ClusterConfiguration and /etc/kubernetes/manifests); only kubelets need --cloud-provider=external", judgeControlPlane},
		{"webhook-dead", Install, "Whether an admission webhook that is asked about what is written to Nodes, Services for load balancers, events or leases has endpoints. Its operations and selectors count.",
			"bring the webhook's Pods up, or let it ignore failures or these resources (failurePolicy, rules): as long as Nodes are not initialised its Pods may have nowhere to run", judgeHooks},
	}
}

func running() []Check {
	return []Check{
		{"manager-unscheduled", Install, "Whether the scheduler finds a node for the controller manager's Pods.",
			"as the scheduler says: tolerations, controlPlane.required or nodeSelector of the chart", judgeScheduled},
		{"manager-waits-for-network", Install, "Whether the controller manager waits for the network of Pods, while Nodes wait for it.",
			"run it on the host network (chart: hostNetwork=true, the default)", judgeNetwork},
		{"manager-waits-for-dns", Install, "Whether the controller manager asks the cluster's DNS before that can run.",
			"let it use the node's resolver (chart: dnsPolicy=Default, the default)", judgeDNS},
		{"manager-port-in-use", Install, "Whether the controller manager's port is in use on its node.",
			"find who listens: ss -ltnp 'sport = :10258'. Stop the other controller manager (k3s and RKE2: --disable-cloud-controller), or give this one another port (chart: metrics.port)", judgePort},
		{"manager-not-running", Install, "Whether the controller manager's Pods run, and why not.",
			"as the container says; kubectl logs --previous shows more", judgeRunning},
		{"leader-missing", Install, "Whether the lease of the controller manager is held and renewed; without an election (--leader-elect=false) there is nothing to hold.", "see why the controller manager does not run", judgeLeader},
		{"manager-twice", Install, "Whether another cloud controller manager works on the same Nodes: Deployments, DaemonSets and leases.",
			"stop the other one, or let ours only plan (--dry-run, in the chart safety.mode); k3s and RKE2 have one of their own: --disable-cloud-controller", judgeSecond},
		{"rights-election", Install, "Whether the controller manager may use its lease and read who may ask for metrics; nothing starts without.",
			"apply the RBAC rules of the chart (rbac.create), or of config/rbac", judgeRights(true)},
		{"rights-missing", Install, "Whether the controller manager has every other right that its controllers need, such as to delete Nodes.",
			"apply the RBAC rules of the chart (rbac.create), or of config/rbac", judgeRights(false)},
		{"routes-cidr", Install, "Whether --cluster-cidr and --configure-cloud-routes fit the cloud, and the Nodes' pod ranges and addresses; whether machines are in the network that has the routes, and whether routes can be read.",
			"set --cluster-cidr (chart: clusterCIDR) to the network that Nodes get their pod ranges from, or --configure-cloud-routes=false", judgeCIDRs},
	}
}

func cloudChecks() []Check {
	return []Check{
		{string(unresolved), Install, "Whether the name of the cloud's API is resolved.",
			"check the DNS servers of the node, which have to work before the cluster's DNS does, and the URL of the API", online(judgeCloud(unresolved, "the name of the cloud's API is resolved"))},
		{string(silent), Install, "Whether the cloud's API answers at all.", "check proxy (HTTPS_PROXY, NO_PROXY) and firewall from where this runs", online(judgeCloud(silent, "the cloud's API is reached"))},
		{string(untrusted), Install, "Whether the certificate of the cloud's API is trusted, and what answers speaks TLS.",
			"configure the API's authority, check its URL, and whether a proxy intercepts TLS", online(judgeCloud(untrusted, "the connection is trusted"))},
		{string(throttled), Install, "Whether the cloud refuses requests because there were too many.",
			"see in ccm_cloud_limiter_wait_seconds what the controller manager's requests are for, and find out whether another program uses the account's limit; --cloud-api-qps makes the controller manager slower", online(judgeCloud(throttled, "no request was one too many"))},
		{string(refused), Install, "Whether the cloud accepts the credentials.", "renew the credentials, and check their rights: docs/providers has those that are needed", online(judgeCloud(refused, "the credentials are accepted"))},
		{string(failing), Install, "Whether the cloud does what it is asked, and lists all machines.", "see the cloud's status page", online(judgeFailing)},
		{"credentials-account-unknown", Install, "Which account the credentials see.",
			"give them that permission: without it no Node is deleted, and no load balancer believed to be gone, while no Node is Ready", online(judgeAccountKnown)},
		{"credentials-other-account", Install, "Whether credentials and configuration are about this cluster: its machines are among those of the account.",
			"the credentials or the configuration are about another cluster, account, project or region: check them, and the ids in the configuration", online(judgeAccount)},
		{"credentials-read-only", Install, "Whether the cloud refused changes, by the events of the controller manager.",
			"give the credentials the rights to change load balancers: docs/providers has the list", online(judgeReadOnly)},
		{"deletion-brake", Install, "Whether the deletion brake holds Nodes back.",
			"if the machines are really gone: cloud-controller-manager release-brake; if not, look after the cloud, or the credentials", judgeBrake},
	}
}

func nodeChecks() []Check {
	return []Check{
		{"node-not-initialised", Nodes, "Whether Nodes wait too long for their machine.", "see the checks below", judgeOrder},
		{"node-kubelet-flag", Nodes, "Whether kubelets registered with `--cloud-provider=external`.",
			"set the kubelet's flag, delete the Node and restart its kubelet", aboutNodes(Failure, "of no cloud", "every kubelet has the flag, or its Node is another cloud's", unflagged)},
		{"node-by-name-only", Nodes, "Whether Nodes without provider-ID are found by name.",
			"set the kubelet's --provider-id, or --cloud-provider=external, delete the Node and restart its kubelet",
			withMachines(aboutNodes(Warning, "only a target of load balancers", "no Node is found by name only", byNameOnly))},
		{"node-machine-unknown", Nodes, "Whether there is exactly one machine, or an entry of the inventory, for each new Node; what there is instead.",
			"the Node's name has to be the machine's name in the cloud: the kubelet's --hostname-override, the machine's name, or the kubelet's --provider-id; of an inventory the entry has to fit",
			withMachines(aboutNodes(Failure, "without a machine", "every new Node has a machine", machineless))},
		{"node-address-unknown", Nodes, "Whether the kubelet's `--node-ip` is an address of the machine, or one of `--node-networks` that nobody else has; whether a machine that only its Node describes has one at all.",
			"set the kubelet's --node-ip to an address that the machine has in the cloud, or leave it out (not with provider static, where every kubelet needs one); where it is of a VPN, name the VPN's network in --node-networks (chart: nodes.networks)",
			withMachines(judgeNodeIPs)},
		{"node-provider-id-foreign", Nodes, "Whether a provider-ID keeps a Node from this cloud although its machine is here: of k3s, of another cloud, of a machine that was made anew.",
			"a provider-ID never changes: stop who wrote it (k3s and RKE2: --disable-cloud-controller), delete the Node and restart its kubelet",
			withMachines(judgeProviderIDs)},
		{"node-machine-gone", Nodes, "Whether machines of Nodes that are not Ready are gone.",
			"if the credentials are those of the right account the Nodes will be deleted; if not, nothing happens to them until they are",
			withMachines(unlessOffline("nobody can say that a machine is gone: no Node is ever deleted", aboutNodes(Warning, "without a machine any more", "no machine is gone", gone)))},
		{"node-machine-elsewhere", Nodes, "Whether Nodes are Ready although the cloud does not have their machine.",
			"if their machines are in another account, which nobody here looks after: kubectl label node NAME multicloud-ccm.io/unmanaged=true; if not, check the credentials. More of them than the deletion brake lets go together stop all deletions",
			withMachines(unlessOffline("each Node describes its machine itself", aboutNodes(Warning, "of another account", "no Ready Node is without a machine", elsewhere)))},
		{"node-label-outdated", Nodes, "Whether the labels of instance type, zone and region are what the machine of the Node has. They are written once, when the Node is initialised, and a machine can be resized or moved.",
			"run the command of each Node; before, see whether its Pods and volumes may stay there, as many volumes belong to one zone", withMachines(aboutNodes(Warning, "with other labels than their machines", "every Node has the labels of its machine", outdated))},
		{"inventory-without-effect", Nodes, "Whether each entry of the inventory (`--cloud-config` of provider static) fits a Node, and none is hidden by one before it.",
			"correct the entry, or take it out; kubectl get nodes --show-labels has the names and labels of Nodes", judgeInventory},
		{"node-silent", Nodes, "Whether Nodes whose machine only they describe, such as those of provider static, have been NotReady for a week. They are never deleted.",
			"mend the machine, or run the command of each Node whose machine is gone",
			aboutNodes(Warning, "NotReady for a week", "no Node whose machine only it describes was NotReady for a week", silentNode)},
		{"node-certificate-waiting", Nodes, "Whether kubelets wait for the certificates that they serve with (`serverTLSBootstrap: true`), and why they are not approved: [verified TLS to kubelets](../how-to/kubelet-certificates.md#why-a-request-waits).",
			"as the reason says, see docs/how-to/kubelet-certificates.md; who knows that a request is right approves it: kubectl certificate approve NAME", judgeCertificates},
		{"node-route-missing", Nodes, "Whether Nodes wait for a route (condition NetworkUnavailable, reason NoRouteCreated).",
			"see the controller manager's events on the Node; its Pod has to tolerate node.kubernetes.io/network-unavailable", judgeNodeRoutes},
	}
}

func serviceChecks() []Check {
	return []Check{
		{"service-field-unsupported", Services, "Whether Services ask for something that the cloud does not have: protocols, source ranges, no node ports.",
			"change the Service, or leave it: each message says whether a port is left out, or no load balancer is made or changed",
			graver(aboutServices(Warning, "asking for more than the cloud has", "the cloud has what Services ask for", unsupported), unsupported)},
		{"service-annotation-invalid", Services, "Whether annotations have values that are possible, by themselves and together, and keys that are known.",
			"correct the annotation; docs/reference/providers has all of them",
			graver(aboutServices(Warning, "with an annotation that cannot be followed", "every annotation is understood", mistyped), mistyped)},
		{"service-without-address", Services, "Whether Services of type LoadBalancer have an address, and what the plan says of those that do not. Those that ask for what is refused are told by the checks before.",
			"as the plan says; cloud-controller-manager explain service NAMESPACE/NAME says more", judgeAddresses},
		{"service-change-missing", Services, "Whether load balancers are as their Services ask, by the plans of Services with an address of which a failure was recorded in the last hour.",
			"as the plan says; cloud-controller-manager explain service NAMESPACE/NAME says more", judgeChanges},
		{"service-drift", Services, "Whether load balancers are as their Services ask, by a plan for each Service with an address. It finds what somebody changed or deleted in the cloud, reads bulk lists where the cloud has them, and says when it did not look at all Services.",
			"find out who changed it; the controller manager repairs it at its next comparison (--service-resync-period), or as soon as an annotation of the Service changes", judgeDrift},
		{"service-unserved", Services, "Whether Services ask for a load balancer where this program makes none: the provider has none in it, the configuration switches them off, or the service controller does not run. Those with a loadBalancerClass, an address or a finalizer are somebody else's.",
			"run the service controller, or install a controller that serves them", judgeUnserved},
		{"service-contested", Services, "Whether another controller keeps a Service from being served: a loadBalancerClass that nobody serves, an address that another one wrote, a load balancer that is somebody else's, or a second one with its ownership tags.",
			"leave the loadBalancerClass out, or install its controller; stop the other controller, or give the Service a loadBalancerClass of it; delete the load balancer that is one too many",
			aboutServices(Failure, "claimed by another controller", "no other controller is in the way", contested)},
		{"service-cluster", Services, "Which cluster the ownership tags name of the load balancers that Services have, and whether --former-cluster-ids can go.",
			"see docs/how-to/troubleshoot.md: the id of the cluster was changed, or the cluster was restored from a backup of another one", judgeClusters},
		{"service-port-shut", Services, "Whether the cloud's firewall keeps ports of Services shut, by the events of the controller manager.",
			"as the event says: use another port, or fewer; the operator's list is --firewall-denied-ports", judgePorts},
		{"service-health-check", Services, "Whether kube-proxy's health port answers on the nodes, which load balancers ask.",
			"make what replaces kube-proxy answer GET /healthz there, or set another health check on the Services; externalTrafficPolicy Local has one of its own", judgeHealthPort},
		{"service-stuck", Services, "Whether Services that are deleted wait for their finalizer.",
			"run a controller manager until they are gone: only it takes the finalizer away, after the load balancer; never take it away by hand, the balancer would go on to cost money",
			aboutServices(Failure, "not deleted for long", "no deletion hangs", stuck)},
		{"service-finalizer-unproven", Services, "Whether Services that we do not serve have the finalizer `service.kubernetes.io/load-balancer-cleanup`, and nothing on them proves that it is ours. Other controllers use it too.",
			"let the controller that put it remove it. Where there is none any more, and the cloud has no load balancer of the Service: kubectl patch service NAME -n NAMESPACE --type=json -p '[{\"op\":\"remove\",\"path\":\"/metadata/finalizers/0\"}]' (its place in the list)",
			aboutServices(Warning, "with a finalizer that may be another controller's", "every finalizer is ours, or another controller's", unproven)},
		{"service-gone", Services, "Whether load balancers of this cluster are left whose Services are gone, or ask for none and have no finalizer any more, by the ownership tags. Those of other clusters, those that the cloud is deleting, and young ones are left out.",
			"delete them in the cloud by hand, or name each on a Service with multicloud-ccm.io/adopt and allow that with --adoption=ID=NAMESPACE/NAME (chart: safety.adoption)", judgeOrphans},
	}
}
