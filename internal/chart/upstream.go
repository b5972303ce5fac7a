package chart

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
	inConf  = "with the whole cloud.conf in the Secret"
	argsKey = "a map; flags with a value of their own go there"
)

// upstreamKeys are those of what people come from, by provider. Keys that mean the same here are not in it.
func upstreamKeys() map[string][]upstreamKey {
	return map[string][]upstreamKey{
		"aws":          append(awsKeys(), sharedKeys()...),
		"digitalocean": append(digitaloceanKeys(), sharedKeys()...),
		"hcloud":       append(hcloudKeys(), sharedKeys()...),
		"openstack":    append(openstackKeys(), sharedKeys()...),
	}
}

// sharedKeys are those of several charts and of manifests.
func sharedKeys() []upstreamKey {
	return []upstreamKey{
		{"additionalTolerations", []string{"tolerations"}, ""},
		{"args", []string{"extraArgs"}, argsKey},
		{"cloudConfigContents", []string{"PROVIDER.credentials.inline.cloudConf"}, ""},
		{"cloudConfigPath", []string{"PROVIDER.credentials.existingSecret", "PROVIDER.credentials.keys.cloudConf"}, "the chart mounts it"},
		{"clusterRoleName", nil, named},
		{"env", []string{"extraEnv"}, "a list"},
		{"image.pullSecrets", []string{"imagePullSecrets"}, ""},
		{"imagePullPolicy", []string{"image.pullPolicy"}, ""},
		{"replicas", []string{"replicaCount"}, ""},
		{"roleBindingName", nil, named},
		{"roleName", nil, named},
		{"serviceAccountName", []string{"serviceAccount.name"}, ""},
		{"strategy", []string{"updateStrategy"}, ""},
		{"volumeMounts", []string{"extraVolumeMounts"}, ""},
		{"volumes", []string{"extraVolumes"}, ""},
	}
}

func awsKeys() []upstreamKey {
	return []upstreamKey{
		{"clusterRoleRules", []string{"rbac.extraClusterRules"}, "for further rules only: those of the controllers that run are there"},
		{"hostNetworking", []string{"hostNetwork"}, "which is on by default"},
		{"namespace", []string{"namespaceOverride"}, "or --namespace of helm"},
	}
}

func hcloudKeys() []upstreamKey {
	const network = "hcloud.credentials.keys.network"
	return []upstreamKey{
		{"env.HCLOUD_METRICS_ADDRESS", []string{"metrics.port"}, ""},
		{"env.HCLOUD_METRICS_ENABLED", nil, "metrics are always served, on metrics.port"},
		{"env.NODE_NAME", nil, "no setting needs it"},
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
	}
}

func openstackKeys() []upstreamKey {
	const secret, key = "openstack.credentials.existingSecret", "openstack.credentials.keys.cloudConf"
	return []upstreamKey{
		{"cloudConfig", []string{secret, key}, inConf},
		{"cluster", []string{"clusterName"}, ""},
		{"cluster.name", []string{"clusterName"}, ""},
		{"controllerExtraArgs", []string{"extraArgs"}, argsKey},
		{"enabledControllers", []string{"controllers.node.enabled", "controllers.nodeLifecycle.enabled", "controllers.service.enabled", "controllers.route.enabled"}, ""},
		{"extraInitContainers", []string{"initContainers"}, ""},
		{"logVerbosityLevel", []string{"log.level"}, ""},
		{"secret", []string{secret}, ""},
		{"secret.create", nil, "the chart makes a Secret of openstack.credentials.inline only"},
		{"secret.enabled", nil, "it is used where openstack.credentials.existingSecret names it"},
		{"secret.name", []string{secret}, ""},
		{"serviceMonitor", []string{"metrics.serviceMonitor"}, ""},
		{"serviceMonitor.additionalLabels", []string{"metrics.serviceMonitor.additionalLabels"}, ""},
		{"serviceMonitor.enabled", []string{"metrics.serviceMonitor.enabled"}, ""},
	}
}

func digitaloceanKeys() []upstreamKey {
	return []upstreamKey{
		{"env.DEBUG_ADDR", nil, "the probes ask the program itself"},
		{"env.KUBERNETES_SERVICE_HOST", []string{"apiServer.host"}, "with apiServer.mode=explicit"},
		{"env.KUBERNETES_SERVICE_PORT", []string{"apiServer.port"}, "with apiServer.mode=explicit"},
		{"env.METRICS_ADDR", []string{"metrics.port"}, ""},
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
	for name, p := range providers {
		keys := map[string]string{}
		for _, k := range upstreamOf(name, p) {
			keys[k.key] = k.hint()
		}
		if len(keys) > 0 {
			h.Keys[name] = keys
		}
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

// upstreamOf returns the keys of what people come from to a provider, without those that would need what it lacks.
func upstreamOf(name string, p providerEntry) []upstreamKey {
	conf := slices.ContainsFunc(p.Credentials, func(c credential) bool { return c.Name == "cloudConf" })
	var all []upstreamKey
	for _, k := range upstreamKeys()[name] {
		use := slices.Clone(k.use)
		for i := range use {
			use[i] = strings.ReplaceAll(use[i], "PROVIDER", name)
		}
		if conf || !strings.HasPrefix(k.key, "cloudConfig") {
			all = append(all, upstreamKey{k.key, use, k.why})
		}
	}
	slices.SortFunc(all, func(a, b upstreamKey) int { return strings.Compare(a.key, b.key) })
	return all
}

// The markers of the generated table of a migration guide.
const (
	guideBegin = "<!-- upstream's keys: generated by `make generate` -->\n"
	guideEnd   = "<!-- end of upstream's keys -->\n"
)

// Guides returns the migration guides, by provider, with their tables of the keys that have another name here.
func Guides(providers []cloud.Descriptor, guides map[string][]byte) (map[string][]byte, error) {
	done := map[string][]byte{}
	for _, d := range providers {
		guide, there := guides[d.Name]
		if !there {
			continue
		}
		var b bytes.Buffer
		writeUpstream(&b, upstreamOf(d.Name, newProviderEntry(d)))
		page, err := splice(guide, guideBegin, guideEnd, b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("the guide of %s: %w", d.Name, err)
		}
		done[d.Name] = page
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
		text := strings.Join(cells, ", ")
		if k.why != "" {
			text = strings.TrimPrefix(text+"; "+k.why, "; ")
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", k.key, text)
	}
	b.WriteString("\n")
}
