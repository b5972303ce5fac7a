package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// upstreamKey is a value of an upstream chart, or a field of an upstream manifest, that has another name here.
type upstreamKey struct {
	key string
	// use are the values to set instead, none where there is nothing to set.
	use []string
	// why says what else is to be known; alone it completes "leave it out: …".
	why string
}

// hint is what the templates say of the key.
func (k upstreamKey) hint() string {
	use := "use " + strings.Join(k.use, " and ")
	switch {
	case len(k.use) == 0:
		return "leave it out: " + k.why
	case k.why == "":
		return use
	default:
		return use + ", " + k.why
	}
}

const (
	named   = "fullnameOverride names all objects"
	mounted = "which the chart mounts"
	argsKey = "a map; flags with a value of their own go there"
)

// upstreamKeys are those of what people come from, by provider. Keys that mean the same here are not in it. The hints know all
// of them, whichever provider is chosen.
func upstreamKeys() map[string][]upstreamKey {
	return map[string][]upstreamKey{"aws": awsKeys(), "digitalocean": digitaloceanKeys(), "hcloud": hcloudKeys(), "openstack": openstackKeys()}
}

func awsKeys() []upstreamKey {
	return []upstreamKey{
		{"args", []string{"extraArgs"}, argsKey},
		{"cloudConfigPath", []string{"aws.credentials.existingSecret", "aws.credentials.keys.cloudConf"}, mounted},
		{"clusterRoleName", nil, named},
		{"clusterRoleRules", []string{"rbac.extraClusterRules"}, "for further rules only: those of the controllers that run are there"},
		{"env", []string{"extraEnv"}, "a list"},
		{"hostNetworking", []string{"hostNetwork"}, "which is on by default"},
		{"namespace", []string{"namespaceOverride"}, "or --namespace of helm"},
		{"roleBindingName", nil, named},
		{"roleName", nil, named},
		{"serviceAccountName", []string{"serviceAccount.name"}, ""},
	}
}

func hcloudKeys() []upstreamKey {
	const network = "hcloud.credentials.keys.network"
	return []upstreamKey{
		{"additionalTolerations", []string{"tolerations"}, ""},
		{"args", []string{"extraArgs"}, argsKey},
		{"env", []string{"extraEnv"}, "a list; variables of settings have values of their own"},
		{"env.HCLOUD_METRICS_ADDRESS", []string{"metrics.port"}, ""},
		{"env.HCLOUD_METRICS_ENABLED", nil, "metrics are always served, on metrics.port"},
		{"env.NODE_NAME", nil, "no setting needs it"},
		{"image.pullSecrets", []string{"imagePullSecrets"}, ""},
		{"monitoring", []string{"metrics"}, ""},
		{"monitoring.enabled", nil, "metrics are always served, on metrics.port"},
		{"monitoring.podMonitor.annotations", []string{"commonAnnotations"}, "which are those of every object"},
		{"monitoring.podMonitor.enabled", []string{"metrics.podMonitor.enabled"}, ""},
		{"monitoring.podMonitor.labels", []string{"metrics.podMonitor.additionalLabels"}, ""},
		{"monitoring.podMonitor.spec", []string{"metrics.podMonitor"}, "with interval, relabelings and metricRelabelings"},
		{"networking", []string{network, "controllers.route"}, ""},
		{"networking.clusterCIDR", []string{"controllers.route.clusterCIDR"}, "with controllers.route.enabled=true, and controllers.route.period=30s for upstream's"},
		{"networking.enabled", []string{network}, "the key of the Secret; for routes controllers.route.enabled=true"},
		{"networking.network", []string{network}, "the key of the Secret, usually network"},
		{"robot", []string{"hcloud.robot"}, ""},
		{"robot.enabled", []string{"hcloud.robot.enabled", "hcloud.credentials.keys.robotUser", "hcloud.credentials.keys.robotPassword"}, "usually robot-user and robot-password"},
		{"selectorLabels", nil, "the chart makes them; podLabels and commonLabels add some"},
		{"strategy", []string{"updateStrategy"}, ""},
	}
}

func openstackKeys() []upstreamKey {
	const secret, key = "openstack.credentials.existingSecret", "openstack.credentials.keys.cloudConf"
	return []upstreamKey{
		{"cloudConfig", []string{secret, key}, "with the whole cloud.conf in the Secret"},
		{"cloudConfigContents", []string{"openstack.credentials.inline.cloudConf"}, ""},
		{"cloudConfigPath", []string{secret, key}, mounted},
		{"cluster", []string{"clusterName"}, ""},
		{"cluster.name", []string{"clusterName"}, ""},
		{"clusterRoleName", nil, named},
		{"controllerExtraArgs", []string{"extraArgs"}, argsKey},
		{"enabledControllers", []string{"controllers.node.enabled", "controllers.nodeLifecycle.enabled", "controllers.service.enabled", "controllers.route.enabled"}, ""},
		{"extraInitContainers", []string{"initContainers"}, ""},
		{"logVerbosityLevel", []string{"log.level"}, ""},
		{"secret", []string{secret}, ""},
		{"secret.create", nil, "the chart makes a Secret of openstack.credentials.inline only"},
		{"secret.enabled", nil, "it is used where openstack.credentials.existingSecret names it"},
		{"secret.name", []string{secret}, ""},
		{"serviceAccountName", []string{"serviceAccount.name"}, ""},
		{"serviceMonitor", []string{"metrics.serviceMonitor"}, ""},
		{"serviceMonitor.additionalLabels", []string{"metrics.serviceMonitor.additionalLabels"}, ""},
		{"serviceMonitor.enabled", []string{"metrics.serviceMonitor.enabled"}, ""},
	}
}

func digitaloceanKeys() []upstreamKey {
	return []upstreamKey{
		{"args", []string{"extraArgs"}, argsKey},
		{"command", []string{"extraArgs"}, argsKey},
		{"env", []string{"extraEnv"}, "variables of settings have values of their own"},
		{"env.DEBUG_ADDR", nil, "the probes ask the program itself"},
		{"env.KUBERNETES_SERVICE_HOST", []string{"apiServer.host"}, "with apiServer.mode=explicit"},
		{"env.KUBERNETES_SERVICE_PORT", []string{"apiServer.port"}, "with apiServer.mode=explicit"},
		{"env.METRICS_ADDR", []string{"metrics.port"}, ""},
		{"imagePullPolicy", []string{"image.pullPolicy"}, ""},
		{"replicas", []string{"replicaCount"}, ""},
		{"serviceAccountName", []string{"serviceAccount.name"}, ""},
		{"strategy", []string{"updateStrategy"}, ""},
		{"volumeMounts", []string{"extraVolumeMounts"}, ""},
		{"volumes", []string{"extraVolumes"}, ""},
	}
}

// upstreamHints is files/upstream.yaml: what the templates say of values that are upstream's.
type upstreamHints struct {
	// Keys are those of each provider's upstream chart or manifest.
	Keys map[string]map[string]string `json:"keys"`
	// Flags and Env are what to use instead of a flag in args and of a variable in env.
	Flags map[string]string `json:"flags"`
	Env   map[string]string `json:"env"`
}

func hints(flags []flagEntry, providers map[string]providerEntry) upstreamHints {
	h := upstreamHints{Keys: map[string]map[string]string{}, Flags: map[string]string{}, Env: map[string]string{}}
	for name, all := range upstreamKeys() {
		h.Keys[name] = map[string]string{}
		for _, k := range all {
			h.Keys[name][k.key] = k.hint()
		}
	}
	for name, p := range providers {
		for _, s := range p.Settings {
			h.Env[s.Env] = "use " + name + "." + s.Value
		}
		for _, c := range p.Credentials {
			if c.Env != "" {
				h.Env[c.Env] = fmt.Sprintf("use %[1]s.credentials.existingSecret and %[1]s.credentials.keys.%[2]s", name, c.Name)
			}
		}
	}
	for _, f := range flags {
		h.Flags[f.Flag] = "leave it out: the chart sets this flag itself"
		if f.Value != "" {
			h.Flags[f.Flag] = "use " + f.Value
		}
	}
	h.Flags["controllers"] = "use controllers.node.enabled and its neighbours"
	h.Flags["configure-cloud-routes"] = "use controllers.route.enabled"
	h.Flags["dry-run"] = "use safety.mode"
	for _, name := range []string{"allocate-node-cidrs", "allow-untagged-cloud"} {
		h.Flags[name] = "leave it out: it has no effect"
	}
	return h
}

// The markers of the generated table of a migration guide.
const (
	guideBegin = "<!-- upstream's keys: generated by `make generate` -->\n"
	guideEnd   = "<!-- end of upstream's keys -->\n"
)

// Guides returns the migration guides, by provider, with their tables of the keys that have another name here.
func Guides(guides map[string][]byte) (map[string][]byte, error) {
	done := map[string][]byte{}
	for provider, guide := range guides {
		var b bytes.Buffer
		writeUpstream(&b, upstreamKeys()[provider])
		page, err := splice(guide, guideBegin, guideEnd, b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("the guide of %s: %w", provider, err)
		}
		done[provider] = page
	}
	return done, nil
}

// UpstreamProviders are those with a guide.
func UpstreamProviders() []string { return sorted(upstreamKeys()) }

func writeUpstream(b *bytes.Buffer, keys []upstreamKey) {
	b.WriteString("\n| upstream | here |\n|---|---|\n")
	for _, k := range keys {
		var cells []string
		for _, use := range k.use {
			cells = append(cells, "`"+use+"`")
		}
		text := cmp.Or(strings.Join(cells, ", "), "nothing")
		if k.why != "" {
			text += ": " + k.why
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", k.key, text)
	}
	b.WriteString("\n")
}
