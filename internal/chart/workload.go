package chart

func image() []Value {
	return []Value{
		{Name: "image", Section: "Image", Doc: "The image.", Fields: []Value{
			{Name: "registry", Default: "ghcr.io", Doc: "Registry host."},
			{Name: "repository", Default: "multicloud-ccm/multicloud-ccm", Doc: "Repository."},
			{Name: "variant", Default: "auto", Enum: []string{"auto", "all"}, Doc: "auto is the slim image with the chosen provider only, all has every provider."},
			{Name: "tag", Doc: "Tag, used as it is. Default: v<appVersion>, with -<provider> behind it for variant auto."},
			{Name: "digest", Pattern: `^(sha256:[a-f0-9]{64})?$`, Doc: "Digest, instead of a tag."},
			{Name: "pullPolicy", Default: "IfNotPresent", Enum: []string{"IfNotPresent", "Always", "Never"}, Doc: "Pull policy."},
		}},
		{Name: "imagePullSecrets", Type: List, Doc: "Pull secrets, beside those of global.imagePullSecrets."},
	}
}

func workload() []Value {
	return []Value{
		{Name: "apiServer", Section: "Workload", Doc: "How the API server is reached, which has to work before there are Service addresses.", Fields: []Value{
			{Name: "mode", Default: "auto", Enum: []string{"auto", "service", "node", "localhost", "explicit"},
				Doc: "service: the Service kubernetes. node: the node's own address. localhost: 127.0.0.1. explicit: host and port below. auto: what platform is known to have on a control-plane node, else service."},
			{Name: "host", Doc: "Host for mode explicit."},
			{Name: "port", Type: Integer, Min: 0, Max: 65535, Doc: "Port for modes node, localhost and explicit. 0: the platform's, else 6443."},
		}},
		{Name: "kind", Default: "Deployment", Enum: []string{"Deployment", "DaemonSet"}, Doc: "Kind of the workload."},
		{Name: "replicaCount", Type: Integer, Default: 1, Min: 0, Max: 100, Doc: "Replicas of the Deployment. Two on two control-plane nodes take over in seconds; a second one without a second node stays Pending."},
		{Name: "updateStrategy", Type: Object, Doc: "Replaces the default strategy: on the host network, where two Pods cannot share a port, one ends before the next begins; else the next begins first."},
		{Name: "revisionHistoryLimit", Type: Integer, Default: 3, Min: 0, Max: 100, Doc: "Old revisions that are kept."},
		{Name: "hostNetwork", Type: Bool, Default: true, Doc: "Run in the node's network, which works before any network add-on."},
		{Name: "dnsPolicy", Default: "Default", Enum: []string{"Default", "ClusterFirst", "ClusterFirstWithHostNet", "None"}, Doc: "Default is the node's resolver, which works before CoreDNS."},
		{Name: "dnsConfig", Type: Object, Doc: "DNS configuration of the Pod."},
		{Name: "hostAliases", Type: List, Doc: "Lines for /etc/hosts."},
		{Name: "priorityClassName", Default: "system-cluster-critical", Doc: "Priority class."},
		{Name: "controlPlane", Doc: "Where it runs.", Fields: []Value{
			{Name: "required", Type: Bool, Default: true, Doc: "Only on nodes with the label node-role.kubernetes.io/control-plane, whatever its value. Switch it off where the control plane has no nodes."},
		}},
		{Name: "nodeSelector", Type: TextMap, Default: map[string]any{"kubernetes.io/os": "linux"}, Doc: "Node selector."},
		{Name: "affinity", Type: Object, Doc: "Affinity. controlPlane.required is added to every term of a required node affinity."},
		{Name: "tolerations", Type: List, Doc: "Tolerations, beside the built-in ones that starting a cluster needs."},
		{Name: "topologySpreadConstraints", Type: List, Doc: "Topology spread constraints; a missing labelSelector selects these Pods. Default with several replicas: spread over nodes where possible."},
		{Name: "podDisruptionBudget", Doc: "Rendered with more than one replica.", Fields: []Value{
			{Name: "enabled", Type: Bool, Default: true, Doc: "Render it."},
			{Name: "maxUnavailable", Type: Count, Default: 1, Doc: "Pods that may be away."},
			{Name: "minAvailable", Type: Count, Doc: "Pods that have to be there, instead of maxUnavailable."},
		}},
		{Name: "terminationGracePeriodSeconds", Type: Integer, Default: 30, Min: 0, Max: 3600, Doc: "Time to stop in: calls that have begun end and the lease is given back."},
		{Name: "podSecurityContext", Type: Object, Default: map[string]any{
			"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532,
			"seccompProfile": map[string]any{"type": "RuntimeDefault"},
		}, Doc: "Security context of the Pod."},
		{Name: "securityContext", Type: Object, Default: map[string]any{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": map[string]any{"drop": []any{"ALL"}},
		}, Doc: "Security context of the container."},
		{Name: "resources", Type: Object, Default: map[string]any{"requests": map[string]any{"cpu": "50m", "memory": "64Mi"}}, Doc: "Requests and limits. With a limit of memory, 64Mi or more, the program gets GOMEMLIMIT, nine tenths of it."},
		{Name: "startupProbe", Type: Object, Doc: "Merged over the default probe of /healthz."},
		{Name: "livenessProbe", Type: Object, Doc: "Merged over the default probe of /healthz."},
		{Name: "readinessProbe", Type: Object, Doc: "Merged over the default probe of /readyz, which answers 200 once the cloud has accepted the credentials."},
		{Name: "rbac", Section: "Identity in the cluster", Doc: "Permissions.", Fields: []Value{
			{Name: "create", Type: Bool, Default: true, Doc: "Create roles and bindings, made for the controllers that run."},
			{Name: "extraClusterRules", Type: List, Doc: "More rules for the ClusterRole."},
		}},
		{Name: "serviceAccount", Doc: "The account.", Fields: []Value{
			{Name: "create", Type: Bool, Default: true, Doc: "Create it."},
			{Name: "name", Doc: "Its name. Default: the full name of the release."},
			{Name: "annotations", Type: TextMap, Doc: "Annotations, such as a cloud's role."},
			{Name: "labels", Type: TextMap, Doc: "Labels."},
		}},
	}
}
