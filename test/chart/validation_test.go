package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
)

// All problems are told at once, each with its value and a fix.
func TestProblems(t *testing.T) {
	tests := []struct{ name, values string }{
		{"nothing", ``},
		{"another name", "provider: Hetzner\nclusterName: c"},
		{"elsewhere", "provider: vmware\nclusterName: c"},
		{"identity", "provider: acme\nclusterName: my cluster\nserviceAccount: {create: false}"},
		{"provider", `
provider: digitalocean
clusterName: c
controllers: {route: {enabled: true}}
digitalocean: {credentials: {existingSecret: mine, inline: {token: t}}}`},
		{"credentials", "provider: digitalocean\nclusterName: c\ndigitalocean: {credentials: {existingSecret: ''}}"},
		{"firewall without tags", "provider: digitalocean\nclusterName: c\ndigitalocean: {firewall: {name: nodes}}"},
		{"firewall without name", "provider: digitalocean\nclusterName: c\ndigitalocean: {firewall: {tags: [worker]}}"},
		{"location and zone", "provider: hcloud\nclusterName: c\nhcloud: {loadBalancers: {location: fsn1, networkZone: eu-central}}"},
		{"too little memory", "provider: sim\nclusterName: c\nresources: {limits: {memory: 32Mi}}"},
		{"two budgets", "provider: sim\nclusterName: c\npodDisruptionBudget: {minAvailable: 1, maxUnavailable: 2}"},
		{"a budget that keeps all", "provider: sim\nclusterName: c\nreplicaCount: 2\npodDisruptionBudget: {minAvailable: 2}"},
		{"a budget of all", "provider: sim\nclusterName: c\nreplicaCount: 2\npodDisruptionBudget: {minAvailable: 100%}"},
		{"a timeout longer than the interval", "provider: sim\nclusterName: c\nmetrics: {podMonitor: {enabled: true, interval: 10s, scrapeTimeout: 1m}}"},
		{"routes without a network", "provider: hcloud\nclusterName: c\ncontrollers: {route: {enabled: true, clusterCIDR: 10.244.0.0/16}}"},
		{"namespace of a monitor", "provider: sim\nclusterName: c\nmetrics: {serviceMonitor: {enabled: true, namespace: My_Monitors, scrapeTimeout: soon}}"},
		{"unused Secret", "provider: aws\nclusterName: c\naws: {credentials: {existingSecret: mine}}"},
		{"unused Secret beside inline", "provider: aws\nclusterName: c\naws: {credentials: {existingSecret: mine, inline: {cloudConf: '[Global]'}}}"},
		{"unnamed Secret", "provider: sim\nclusterName: c\nsim: {credentials: {keys: {token: t}}}"},
		{"both", "provider: aws\nclusterName: c\naws: {credentials: {keys: {cloudConf: cloud.conf}, inline: {cloudConf: '[Global]'}}}"},
		{"access key alone", "provider: aws\nclusterName: c\naws: {credentials: {keys: {accessKeyID: id}}}"},
		{"its secret alone", "provider: aws\nclusterName: c\naws: {credentials: {inline: {secretAccessKey: s}, keys: {sessionToken: t}}}"},
		{"workload", `
provider: sim
clusterName: c
kind: DaemonSet
replicaCount: 2
networkPolicy: {enabled: true}
metrics: {service: {enabled: false}, serviceMonitor: {enabled: true}, podMonitor: {enabled: true}}
rbac: {create: false}
apiServer: {mode: explicit}
image: {digest: latest}`},
		{"localhost", "provider: sim\nclusterName: c\nhostNetwork: false\napiServer: {mode: localhost}"},
		{"controllers", `
provider: sim
clusterName: c
controllers: {node: {enabled: false}, nodeLifecycle: {enabled: false}, service: {enabled: false}}`},
		{"flags", `
provider: sim
clusterName: c
controllers: {node: {concurrency: "0"}, service: {resyncPeriod: 0s}, firewall: {deniedPorts: foo}}
safety: {adoption: "own;any", nodeDeletion: {fraction: "1.5", grace: 5, max: 0.5, window: 0h0m}}
leaderElection: {leaseDuration: 5s, retryPeriod: 9s, resourceName: My_Lease}`},
		{"limits of flags", `
provider: sim
clusterName: c
kind: Statefulset
controllers: {node: {concurrency: "010"}, service: {resyncPeriod: 0.0001ms}, firewall: {deniedPorts: "99999,300-200,22"}}
safety: {mode: dryrun, adoption: "any,own,lb=shop/web", nodeDeletion: {window: 9999999999h}}
leaderElection: {leaseDuration: "", renewDeadline: 20s, resourceName: "", resourceNamespace: a.b}`},
		{"lines", "provider: sim\nclusterName: c\ncontrollers: {firewall: {deniedPorts: \"22,\\n80\\n\"}}"},
		{"six of six kinds", `
provider: sim
clusterName: c
replicas: 2
hostNetwork: "yes"
kind: StatefulSet
controllers: {node: {concurrency: many}, route: {enabled: true}}
safety: {nodeDeletion: {window: soon}}`},
		{"types", `
provider: 7
clusterName: [c]
image: ghcr.io/x
imagePullSecrets: pull
nodeSelector: {disk: 7}
resources: small
replicaCount: 2.5
metrics: {port: 70000, serviceMonitor: {interval: often}, prometheusRule: {disabledAlerts: [7]}}
safety: {nodeDeletion: {fraction: much}}
podDisruptionBudget: {maxUnavailable: true}
digitalocean: {credentials: {keys: {tokn: x}}}
cloudConfig: {}`},
		{"networks", "provider: sim\nclusterName: c\ncontrollers: {route: {enabled: true, clusterCIDR: \"10.244.0.0,fd00::/48,300.0.0.0/8\"}}"},
		{"networks of nodes", "provider: sim\nclusterName: c\nnodes: {networks: \"vpn,10.8.0.7,8.0.0.0/7,fd00::/8,100.64.0.0/10\"}"},
		{"certificates of kubelets", `
provider: sim
clusterName: c
platform: k3s
controllers:
  kubeletServingCertificate:
    enabled: true
    networks: "vpn,100.64.0.0/33,100.64.0.1/10,0.0.0.0/0,100.64.0.0/10"
    reserved: "api.example.com,100.64.0.0/33, 10.0.0.1,https://"
    maxDuration: 9m`},
		{"long durations", "provider: sim\nclusterName: c\ncontrollers: {kubeletServingCertificate: {maxDuration: 2562048h}}"},
		{"several networks", "provider: sim\nclusterName: c\ncontrollers: {route: {enabled: true, clusterCIDR: \"10.244.0.0/16,10.245.0.0/16\"}}"},
		{"name of routes", "provider: gce\nclusterName: Prod_1\nclusterID: prod-1\ncontrollers: {route: {enabled: true, clusterCIDR: 10.244.0.0/16}}"},
		{"tags", "provider: aws\nclusterName: c\ncontrollers: {tagging: {enabled: true, tags: team}}"},
		{"names", "provider: sim\nclusterName: c\nnameOverride: My-CCM\nfullnameOverride: my_ccm\nnamespaceOverride: a.b"},
		{"ports and networks", "provider: sim\nclusterName: c\nhostNetwork: false\nnetworkPolicy: {enabled: true, egress: {enabled: true, ports: [443, 0, https, 70000], cidrs: [10.0.0.0/8, 10.0.0.1, fd00::/8]}}"},
		{"values of arguments", `
provider: sim
clusterName: c
extraArgs: {kube-api-qps: lots, kube-api-burst: 1.5, profiling: maybe, min-resync-period: 12, tls-cipher-suites: 7, feature-gates: [AllAlpha=false]}`},
		{"inventory", `
provider: static
clusterName: c
static:
  credentials: {existingSecret: mine}
  inventory:
    kind: Machines
    zones: a
    others: "no"
    machines: [{nam: x}, {name: x, names: x*, zone: 7, labels: {disk: 1}, externalIPs: 203.0.113.7}, {}, nas-1]`},
		{"inventory of another provider", "provider: sim\nclusterName: c\nstatic: {inventory: {machines: [{name: nas-1}]}}"},
		{"egress", "provider: sim\nclusterName: c\nhostNetwork: false\nnetworkPolicy: {egress: {enabled: true, ports: []}}"},
		{"arguments", `
provider: sim
clusterName: c
extraArgs: {--v: 3, cluster-name: other, v: 3, cloud-config: /x, leader-elect: false, use-service-account-credentials: true, node-delettion: false}`},
	}
	var all strings.Builder
	for _, tt := range tests {
		_, err := render(t, release{values: []string{tt.values}})
		if err == nil {
			t.Errorf("%s: rendered", tt.name)
			continue
		}
		_, told, _ := strings.Cut(err.Error(), "\n\n")
		fmt.Fprintf(&all, "# %s\n%s\n", tt.name, strings.TrimRight(told, "\n")+"\n")
	}
	golden(t, "testdata/problems.txt", all.String())
}

// The chart refuses the entries of lists that the program refuses, and no others. Of IPv6 it reads the form and the length of the prefix alone, and the
// program more.
func TestEntriesOfNetworksAreThoseOfTheProgram(t *testing.T) {
	networks := []string{
		"vpn", "100.64.0.0/33", "100.64.0.1/10", "100.64.0.0/10", "0.0.0.0/0", "8.0.0.0/7", "10.0.0.0/8", "10.1.0.0/8", "10.8.0.7", "10.8.0.7/32", "10.8.0.6/31", "10.8.0.7/31",
		"172.16.0.0/12", "172.24.0.0/12", "192.168.1.128/25", "192.168.1.64/25", "127.0.0.0/8", "127.1.0.0/16", "169.254.0.0/16", "169.253.0.0/16", "224.0.0.0/8", "239.1.0.0/16",
		"223.0.0.0/8", "0.1.0.0/16", " 100.64.0.0/10", "fd7a:115c:a1e0::/48", "fd00::/31", "fd00::/32", "::/0", "300.0.0.0/8",
	}
	parse := func(entry string) error {
		_, err := framework.ParseNodeNetworks([]string{entry})
		return err
	}
	sameVerdicts(t, "nodes: {networks: %q}", networks, parse)
	sameVerdicts(t, "controllers: {kubeletServingCertificate: {networks: %q}}", networks, parse)
	sameVerdicts(t, "controllers: {kubeletServingCertificate: {reserved: %q}}", append(networks,
		"api.example.com", "api.example.com.", "Api.Example.COM", "api_1", "*.example.com", "a b", "a/24", "10.0.0", "10.0.0.300", "10.0.0.", "node.0x1", "0X1.a", "a.0X1", "10.0.0.1", "10.0.0.1:6443",
		"api:6443", "api:", "api:https", "[::1]", "[fd00::1]:6443", "fd00::1", "::ffff:10.0.0.1", "https://api.example.com:6443", "https://api.example.com/x?y#z", "https://[fd00::1]:6443",
		"https://[fd00::1]", "https://10.0.0.1", "https://", "https://*.example.com", "https:///x", "10.0.0.1-10.0.0.9", "10.0.0.1/24", "-a", "a-", "a..b", "",
		"https://user:secret@api.example.com:6443", "https://user:secret@api.example.com", "user:secret@api.example.com", "https://u:secret%zz@h", "user@api", "https:api.example.com",
	), func(entry string) error {
		_, err := judge.Reserve(entry)
		return err
	})
}

// sameVerdicts holds the chart's verdicts about the entries of a value against the program's.
func sameVerdicts(t *testing.T, values string, entries []string, program func(entry string) error) {
	t.Helper()
	var accepted, refused []string
	for _, entry := range entries {
		if program(entry) == nil {
			accepted = append(accepted, entry)
		} else {
			refused = append(refused, entry)
		}
	}
	if _, err := render(t, release{values: []string{minimal("sim"), fmt.Sprintf(values, strings.Join(accepted, ","))}}); err != nil {
		t.Errorf("the program accepts these, the chart says: %v", err)
	}
	_, err := render(t, release{values: []string{minimal("sim"), fmt.Sprintf(values, strings.Join(refused, ","))}})
	for _, entry := range refused {
		shown := entry
		if at := strings.LastIndexByte(entry, '@'); at >= 0 { // before it may be a password
			shown = "…" + entry[at:]
		}
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(" has %q", shown)) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the program refuses %q, and the chart does not, or shows all of it: %v", values, entry, err)
		}
	}
}

// A credential that needs another may have it from the escape hatches.
func TestHalfFromElsewhere(t *testing.T) {
	for _, values := range []string{
		`extraEnv: [{name: AWS_SECRET_ACCESS_KEY_FILE, value: /vault/key}]`,
		`extraEnv: [{name: AWS_SECRET_ACCESS_KEY, value: s}]`,
		`extraEnvFrom: [{secretRef: {name: x}}]`,
	} {
		mustRender(t, release{values: []string{minimal("aws"), "aws: {credentials: {keys: {accessKeyID: id}}}", values}})
	}
}

// Credentials may come from the escape hatches.
func TestCredentialsFromElsewhere(t *testing.T) {
	for _, values := range []string{
		`extraEnv: [{name: DO_ACCESS_TOKEN_FILE, value: /vault/token}]`,
		`extraEnv: [{name: DO_ACCESS_TOKEN, value: t}]`,
		`extraEnvFrom: [{secretRef: {name: x}}]`,
	} {
		out := mustRender(t, release{values: []string{minimal("digitalocean"), "digitalocean: {credentials: {existingSecret: ''}}", values}})
		if volumes := out.pod(t).Spec.Volumes; len(volumes) > 0 {
			t.Errorf("%s: volumes %v", values, volumes)
		}
	}
}

// A group that is null has its defaults, and so has a value; a list or a map that is null is empty.
func TestNull(t *testing.T) {
	want := mustRender(t, release{values: []string{minimal("sim")}}).manifest
	for _, values := range []string{
		"leaderElection: null", "safety: {nodeDeletion: null}", "metrics: null", "doctor: null", "image: null", "sim: null", "controllers: null",
		"hostNetwork: null", "kind: null", "replicaCount: null", "platform: null", "networkPolicy: null", "log: {level: null}",
	} {
		if got := mustRender(t, release{values: []string{minimal("sim"), values}}).manifest; got != want {
			t.Errorf("%s: it renders something else than the defaults", values)
		}
	}
	spec := mustRender(t, release{values: []string{minimal("sim"), "{nodeSelector: null, resources: null, securityContext: null, podSecurityContext: null}"}}).pod(t).Spec
	if container := spec.Containers[0]; spec.NodeSelector != nil || spec.SecurityContext != nil || container.SecurityContext != nil || container.Resources.Requests != nil {
		t.Errorf("defaults that were dropped are there: %+v", spec)
	}
}

// Another image may have flags that this program lacks.
func TestFlagsOfAnotherImage(t *testing.T) {
	for _, image := range []string{"tag: mine", "registry: registry.example", "repository: me/ccm"} {
		mustRender(t, release{values: []string{minimal("sim"), "{image: {" + image + "}, extraArgs: {my-flag: 1}}"}})
	}
	own := "{image: {registry: ghcr.io, repository: multicloud-ccm/multicloud-ccm}, extraArgs: {my-flag: 1}}"
	if _, err := render(t, release{values: []string{minimal("sim"), own}}); err == nil {
		t.Error("a flag that the chart's own image lacks is accepted")
	}
}
