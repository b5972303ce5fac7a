package chart_test

import (
	"fmt"
	"strings"
	"testing"
)

// moved are keys that the upstream chart of each provider has, on DigitalOcean the manifest: what people bring along.
var moved = map[string][]string{
	"aws": {
		`namespace: kube-system`, `args: [--v=2, --cloud-provider=aws, --cluster-name=c, --cluster-cidr=10.0.0.0/8, --configure-cloud-routes=false]`,
		`image: {repository: aws, tag: v1}`, `imagePullSecrets: [{name: pull}]`, `nameOverride: aws`, `nodeSelector: {a: b}`,
		`clusterRoleRules: [{apiGroups: [""], resources: [nodes], verbs: ["*"]}]`, `resources: {requests: {cpu: 200m}}`, `env: [{name: AWS_REGION, value: x}]`,
		`securityContext: {}`, `podSecurityContext: {}`, `podAnnotations: {a: b}`, `tolerations: [{key: a}]`, `dnsPolicy: Default`,
		`clusterRoleName: system:cloud-controller-manager`, `roleBindingName: x`, `roleName: x`, `serviceAccountName: x`,
		`serviceAccount: {annotations: {a: b}}`, `extraVolumes: [{name: a}]`, `extraVolumeMounts: [{name: a}]`, `hostNetworking: true`, `cloudConfigPath: /etc/cloud.conf`,
	},
	"digitalocean": {
		`env: [{name: DO_ACCESS_TOKEN, value: t}]`, `env: [{name: REGION, value: fra1}, {name: DO_CLUSTER_ID, value: x}]`, `env: [{name: DO_CLUSTER_VPC_ID, value: x}]`,
		`env: [{name: DO_OVERRIDE_URL, value: x}]`, `env: [{name: DO_API_RATE_LIMIT_QPS, value: "2"}]`, `env: [{name: DEFAULT_LB_TYPE, value: x}]`,
		`env: {PUBLIC_ACCESS_FIREWALL_NAME: fw, PUBLIC_ACCESS_FIREWALL_TAGS: a}`, `env: [{name: DEBUG_ADDR, value: x}]`, `env: [{name: METRICS_ADDR, value: x}]`,
		`env: [{name: KUBERNETES_SERVICE_HOST, value: x}, {name: KUBERNETES_SERVICE_PORT, value: "6443"}]`, `REGION: fra1`,
		`args: [--leader-elect=false]`, `command: [/bin/digitalocean-cloud-controller-manager, --leader-elect=false, --concurrent-service-syncs=3]`,
		`replicas: 1`, `revisionHistoryLimit: 2`, `dnsPolicy: Default`, `hostNetwork: true`, `priorityClassName: system-cluster-critical`, `serviceAccountName: x`,
		`tolerations: [{key: a}]`, `image: digitalocean/digitalocean-cloud-controller-manager:v1`, `imagePullPolicy: Always`, `resources: {requests: {memory: 50Mi}}`,
		`strategy: {type: Recreate}`, `volumes: [{name: a}]`, `volumeMounts: [{name: a}]`,
	},
	"hcloud": {
		`args: {v: 3, route-reconciliation-period: 30s, allow-untagged-cloud: "", webhook-secure-port: "0", feature-gates: A=true}`, `args: ["--controllers=*"]`,
		`kind: DaemonSet`, `replicaCount: 2`, `env: {HCLOUD_TOKEN: {valueFrom: {}}, HCLOUD_LOAD_BALANCERS_LOCATION: {value: fsn1}, ROBOT_USER: {value: u}, NODE_NAME: {}, OWN: {value: x}}`,
		`env: {HCLOUD_METRICS_ENABLED: {value: "false"}, HCLOUD_METRICS_ADDRESS: {value: ":8233"}}`,
		`image: {repository: hcloud, tag: v1, pullSecrets: [a]}`, `monitoring: {enabled: true, podMonitor: {enabled: true, labels: {a: b}, annotations: {a: b}, spec: {podMetricsEndpoints: []}}}`,
		`nameOverride: hccm`, `networking: {enabled: true, clusterCIDR: 10.244.0.0/16, network: {valueFrom: {}}}`, `networking: {}`, `resources: {requests: {cpu: 100m}}`,
		`podSecurityContext: {}`, `securityContext: {}`, `selectorLabels: {a: b}`, `strategy: {type: Recreate}`, `additionalTolerations: [{key: a}]`, `nodeSelector: {a: b}`,
		`affinity: {}`, `priorityClassName: x`, `robot: {enabled: true}`, `rbac: {create: false}`, `serviceAccount: {annotations: {a: b}}`, `podLabels: {a: b}`,
		`podAnnotations: {a: b}`, `extraVolumes: [{name: a}]`, `dnsConfig: {}`, `deploymentAnnotations: {a: b}`,
	},
	"openstack": {
		`commonAnnotations: {a: b}`, `podAnnotations: {a: b}`, `podLabels: {a: b}`, `imagePullSecrets: [{name: a}]`, `image: {repository: occm, tag: v1}`,
		`extraInitContainers: [{name: a}]`, `extraEnv: [{name: a, value: b}]`, `livenessProbe: {periodSeconds: 9}`, `dnsPolicy: ClusterFirst`, `hostAliases: [{ip: 192.0.2.1}]`,
		`nodeSelector: {a: b}`, `podSecurityContext: {runAsUser: 1001}`, `enabledControllers: [cloud-node]`, `controllerExtraArgs: "- --cluster-name=c\n- --v=4\n"`,
		`serviceMonitor: {}`, `serviceMonitor: {enabled: true, additionalLabels: {a: b}}`, `secret: {enabled: true, create: false, name: x}`, `logVerbosityLevel: 4`,
		`cloudConfig: {global: {region: x}, networking: {}}`, `cloudConfigContents: "[Global]"`, `cloudConfigPath: /etc/cloud.conf`, `priorityClassName: ""`,
		`cluster: {name: kubernetes}`, `clusterRoleName: x`, `serviceAccountName: x`, `nameOverride: x`,
	},
}

// Keys of upstream's charts have an effect, or are refused with what to use instead.
func TestUpstreamKeys(t *testing.T) {
	var all strings.Builder
	for _, provider := range []string{"aws", "digitalocean", "hcloud", "openstack"} {
		if len(moved[provider]) < 20 {
			t.Errorf("%s: only %d keys", provider, len(moved[provider]))
		}
		before := mustRender(t, release{values: []string{minimal(provider)}}).manifest
		for _, values := range moved[provider] {
			fmt.Fprintf(&all, "# %s: %s\n", provider, values)
			out, err := render(t, release{values: []string{minimal(provider), values}})
			switch {
			case err != nil:
				_, told, _ := strings.Cut(err.Error(), ":\n")
				fmt.Fprintln(&all, strings.Trim(told, "\n"))
			case out.manifest == before:
				fmt.Fprintln(&all, "  as it is by default")
			default:
				fmt.Fprintln(&all, "  has an effect")
			}
		}
	}
	golden(t, "testdata/upstream.txt", all.String())
}
