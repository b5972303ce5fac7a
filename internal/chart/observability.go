package chart

func observability() []Value {
	return []Value{
		{Name: "log", Section: "Observability", Doc: "Logs, on stderr.", Fields: []Value{
			{Name: "level", Flag: "v", Default: 2, Min: 0, Max: 10, Doc: "Verbosity."},
			{Name: "format", Flag: "logging-format", Enum: []string{"text", "json"}, Doc: "text or json."},
		}},
		{Name: "metrics", Doc: "Metrics and health on one port, over HTTPS. Metrics ask for a token that may get /metrics.", Fields: []Value{
			{Name: "port", Flag: "secure-port", Min: 1, Max: 65535, Doc: "The port. On the host network no two programs of a node can have the same."},
			{Name: "unauthenticated", Type: Bool, Doc: "Serve /metrics to everyone."},
			{Name: "service", Doc: "A Service for the port.", Fields: []Value{
				{Name: "enabled", Type: Bool, Default: true, Doc: "Render it."},
				{Name: "annotations", Type: TextMap, Doc: "Annotations."},
			}},
			{Name: "serviceMonitor", Doc: "ServiceMonitor of the Prometheus operator, whose CRDs must be there.", Fields: monitor()},
			{Name: "podMonitor", Doc: "PodMonitor, instead of the ServiceMonitor.", Fields: monitor()},
			{Name: "prometheusRule", Doc: "Alerts for the Prometheus operator.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Render it."},
				{Name: "additionalLabels", Type: TextMap, Doc: "Labels, so that Prometheus selects it."},
				{Name: "disabledAlerts", Type: Texts, Doc: "Names of alerts to leave out."},
			}},
			{Name: "dashboard", Doc: "Grafana dashboard in a ConfigMap.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Render it."},
				{Name: "labels", Type: TextMap, Default: map[string]any{"grafana_dashboard": "1"}, Doc: "Labels, so that Grafana's sidecar finds it."},
				{Name: "namespace", Doc: "Namespace. Default: the release's."},
			}},
		}},
		{Name: "networkPolicy", Doc: "NetworkPolicy; it has no effect on the host network and is refused there.", Fields: []Value{
			{Name: "enabled", Type: Bool, Doc: "Let only the metrics port in."},
			{Name: "egress", Doc: "What goes out.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Let only DNS, the API server and the cloud be reached."},
				{Name: "ports", Type: List, Default: []any{443, 6443}, Doc: "TCP ports of the API server and of the cloud's API. The port of apiServer, where its mode is not service, is added. OpenStack's services have ports of their own, such as 5000, 8774, 9696 and 9876."},
				{Name: "cidrs", Type: Texts, Doc: "Networks with these ports. Default: all."},
				{Name: "extraRules", Type: List, Doc: "More egress rules, such as one to a proxy or to 169.254.169.254 on port 80, where the cloud's metadata are."},
			}},
		}},
		{Name: "advice", Doc: "What the notes say about the cluster. The doctor says the same and more.", Fields: []Value{
			{Name: "enabled", Type: Bool, Doc: "Look for mistakes in the cluster while helm installs. helm's user has to be allowed to read Nodes, Secrets, workloads and leases: without these rights the installation fails."},
		}},
		{Name: "doctor", Doc: "Checks of the installation.", Fields: []Value{
			{Name: "serviceAccount", Doc: "The account of its Pods.", Fields: []Value{
				{Name: "create", Type: Bool, Default: true, Doc: "Make one that may read what the doctor looks at, and nothing else. Otherwise its Pods have the program's account. They have that too with `serviceAccount.annotations`, with a `serviceAccountToken` in `extraVolumes`, and where the chart makes no account or no roles. Set it to false where the cloud knows the program's account by name without either, as with EKS Pod Identity."},
			}},
			{Name: "test", Doc: "`helm test`.", Fields: []Value{
				{Name: "enabled", Type: Bool, Default: true, Doc: "Render a Pod that runs the `doctor` command, which only reads."},
				{Name: "wait", Type: Duration, Default: "", Doc: "Make the checks again until there is no failure, for at most this time. What waits counts as a failure then. Keep it below the `--timeout` of `helm test`, which is 5m by default. Default: they are made once."},
			}},
			{Name: "uninstallGuard", Doc: "`helm uninstall` while Services have balancers.", Fields: []Value{
				{Name: "enabled", Type: Bool, Doc: "Refuse it, in a Pod that has to start then; `--no-hooks` uninstalls all the same. On a cloud without load balancers there is none."},
			}},
		}},
	}
}

func monitor() []Value {
	return []Value{
		{Name: "enabled", Type: Bool, Doc: "Render it."},
		{Name: "additionalLabels", Type: TextMap, Doc: "Labels, so that Prometheus selects it."},
		{Name: "namespace", Pattern: objectName, Want: objectWant, Doc: "Its namespace, where Prometheus looks for it. It has to be there. Default: the release's."},
		{Name: "interval", Type: Duration, Default: "", Doc: "Scrape interval. Default: Prometheus'."},
		{Name: "scrapeTimeout", Type: Duration, Default: "", Doc: "Time a scrape may take, not above interval. Default: Prometheus'."},
		{Name: "authorization", Type: Object, Doc: "The operator's authorization. Default: the token of an account that the chart makes, which may read /metrics and nothing else. None with metrics.unauthenticated. Has to be set with rbac.create=false."},
		{Name: "relabelings", Type: List, Doc: "Relabelings."},
		{Name: "metricRelabelings", Type: List, Doc: "Relabelings of metrics."},
	}
}

// escapes are the values for what nobody has thought of.
func escapes() []Value {
	return []Value{
		{Name: "extraArgs", Section: "Escape hatches", Type: Object,
			Doc: "More flags, without dashes: a list repeats a flag, null drops it. Flags that have a value of their own are refused."},
		{Name: "extraEnv", Type: List, Doc: "More environment variables."},
		{Name: "extraEnvFrom", Type: List, Doc: "More sources of environment variables."},
		{Name: "extraVolumes", Type: List, Doc: "More volumes."},
		{Name: "extraVolumeMounts", Type: List, Doc: "More mounts."},
		{Name: "extraContainers", Type: List, Doc: "More containers."},
		{Name: "initContainers", Type: List, Doc: "Init containers."},
		{Name: "extraObjects", Type: List, Doc: "More objects, rendered as they are."},
		{Name: "commonLabels", Type: TextMap, Doc: "Labels of every object and of the Pods."},
		{Name: "commonAnnotations", Type: TextMap, Doc: "Annotations of every object."},
		{Name: "deploymentAnnotations", Type: TextMap, Doc: "Annotations of the Deployment or DaemonSet."},
		{Name: "podLabels", Type: TextMap, Doc: "Labels of the Pods."},
		{Name: "podAnnotations", Type: TextMap, Doc: "Annotations of the Pods."},
		{Name: "nameOverride", Pattern: objectName, Want: objectWant, Doc: "Name of the chart in labels and names."},
		{Name: "fullnameOverride", Pattern: objectName, Want: objectWant, Doc: "Name of the objects."},
		{Name: "namespaceOverride", Pattern: objectName, Want: objectWant, Doc: "Namespace of the objects. Default: the release's."},
		{Name: "global", Type: Object, Doc: "Values of the parent chart; imagePullSecrets is read."},
		{Name: "enabled", Type: Bool, Default: true, Doc: "For the condition of a parent chart; has no effect here."},
	}
}
