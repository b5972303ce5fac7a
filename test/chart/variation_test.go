package chart_test

// everything switches on whatever can be on at the same time.
const everything = `
clusterID: c-1
platform: rke2
replicaCount: 2
controllers:
  node: {concurrency: 7}
  nodeLifecycle: {concurrency: 3, period: 7s}
  service: {concurrency: 2, resyncPeriod: 1h, nodeBurstWindow: 3s}
safety: {nodeDeletion: {enabled: false, grace: 5m, confirmGap: 20s, max: 3, fraction: 0.25, window: 1h, massWait: 2h}}
cloudAPI: {qps: 1.5}
leaderElection: {resourceName: my-lease, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 2s}
image: {registry: registry.example, tag: v9, pullPolicy: Always}
imagePullSecrets: [{name: pull}]
apiServer: {mode: explicit, host: api.example, port: 443}
dnsConfig: {options: [{name: ndots, value: "1"}]}
hostAliases: [{ip: 10.0.0.1, hostnames: [api.example]}]
nodeSelector: {disk: ssd}
affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {a: b}}}}]}}
tolerations: [{key: mine, operator: Exists}]
topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
startupProbe: {failureThreshold: 99}
livenessProbe: {periodSeconds: 33}
readinessProbe: {initialDelaySeconds: 1}
rbac: {extraClusterRules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}
serviceAccount: {name: robot, annotations: {role: arn}, labels: {l: v}}
log: {level: 4, format: json}
metrics:
  port: 10300
  unauthenticated: true
  service: {annotations: {a: b}}
  serviceMonitor: {enabled: true, namespace: monitoring, interval: 30s, scrapeTimeout: 9s, additionalLabels: {release: prometheus}, relabelings: [{action: labeldrop, regex: x}], metricRelabelings: [{action: labeldrop, regex: y}]}
  prometheusRule: {enabled: true, disabledAlerts: [CCMDrift], additionalLabels: {release: prometheus}}
  dashboard: {enabled: true, namespace: monitoring}
doctor: {test: {enabled: false}, uninstallGuard: {enabled: true}}
extraArgs: {kube-api-burst: 1000000, feature-gates: ["AllAlpha=false", "AllBeta=true"], kube-api-qps: null}
extraEnv: [{name: HTTPS_PROXY, value: "http://proxy.example"}]
extraEnvFrom: [{configMapRef: {name: more, optional: true}}]
extraVolumes: [{name: ca, configMap: {name: ca}}]
extraVolumeMounts: [{name: ca, mountPath: /ca}]
extraContainers: [{name: side, image: side}]
initContainers: [{name: before, image: before}]
extraObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: kube-system}}]
commonLabels: {team: infra}
commonAnnotations: {owner: me}
deploymentAnnotations: {deployment: annotation}
podLabels: {pod: label}
podAnnotations: {pod: annotation}
global: {imagePullSecrets: [{name: everywhere}]}
`

// onPodNetwork is the other half: what the host network excludes.
const onPodNetwork = `
hostNetwork: false
dnsPolicy: ClusterFirst
controlPlane: {required: false}
networkPolicy: {enabled: true, egress: {enabled: true, ports: [443, 5000], cidrs: [10.0.0.0/8], extraRules: [{to: [{ipBlock: {cidr: 169.254.169.254/32}}], ports: [{port: 80}]}]}}
metrics: {podMonitor: {enabled: true, authorization: {credentials: {name: token, key: token}}}}

`

// settings set every setting of a provider.
var settings = map[string]string{
	"aws": `
controllers: {route: {enabled: true, clusterCIDR: 10.128.0.0/10, period: 30s}}
serviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::123456789012:role/ccm"}}
aws:
  credentials: {existingSecret: mine, keys: {accessKeyID: id, secretAccessKey: key, sessionToken: token, cloudConf: cloud.conf}}
  region: eu-central-1
  useFIPSEndpoint: true
  useDualStackEndpoint: true
  endpointURL: http://127.0.0.1:9
`,
	"digitalocean": `
digitalocean:
  credentials: {existingSecret: mine, keys: {token: t}}
  apiURL: http://127.0.0.1:9
  metadataURL: http://127.0.0.1:8
  region: fra1
  clusterID: c
  vpcID: 5a4981aa-9653-4bd1-bef5-d6bff52042e4
  apiQPS: 2.5
  loadBalancer: {defaultType: REGIONAL}
  firewall: {name: fw, tags: [a, b]}
`,
	"gce": `
controllers: {route: {enabled: true, clusterCIDR: 10.128.0.0/10, period: 30s}}
gce:
  credentials: {existingSecret: mine, keys: {json: key.json, cloudConf: gce.conf}}
  projectID: shop
  nodeProjects: [batch, example.com:more]
  network: projects/host/global/networks/shared
  metadataHost: 127.0.0.1:7
`,
	"hcloud": `
controllers: {route: {enabled: true, clusterCIDR: 10.128.0.0/10, period: 30s}}
hcloud:
  credentials: {existingSecret: mine, keys: {token: t, network: net, robotUser: u, robotPassword: p}}
  apiURL: http://127.0.0.1:9/v1
  metadataURL: http://127.0.0.1:8
  networkCheckDisabled: true
  routes: false
  addressFamily: dualstack
  zoneLabel: false
  loadBalancers:
    enabled: false
    networkZone: eu-central
    type: lb21
    algorithm: least_connections
    usePrivateIP: true
    disablePrivateIngress: true
    disableIPv6: true
    disablePublicNetwork: "true"
    usesProxyProtocol: "false"
    privateSubnetIPRange: 10.0.1.0/24
    healthCheck: {interval: 9s, timeout: 4s, retries: 2}
  robot: {enabled: true, apiURL: http://127.0.0.1:7, forwardInternalIPs: false, nameMustMatch: true}
`,
	"openstack": `
controllers: {route: {enabled: true, clusterCIDR: 10.128.0.0/10, period: 30s}}
openstack:
  credentials: {inline: {cloudConf: "[Global]"}}
  regionalProviderID: true
`,
	"sim": `
controllers: {route: {enabled: true, clusterCIDR: 10.128.0.0/10, period: 30s}}
sim:
  credentials: {inline: {token: "s3cret"}}
  endpoint: http://127.0.0.1:9
  listen: 127.0.0.1:7
  machines: [a=small@z1@10.0.0.1, b]
  forward: true
  static: true
`,
	"static": `
static:
  inventory:
    region: home
    others: true
    machines:
    - {name: nas-1, zone: cellar, type: n100, internalIPs: [10.0.0.7], externalIPs: [203.0.113.7], labels: {disk: hdd}}
    - {names: "rack2-*", zone: rack2}
    - {selector: "site=office", region: town}
  schemes: [k3s, rke2]
  region: home
  zone: cellar
`,
}

// variations are the renders that every contract is checked on, by name.
func variations() map[string][]string {
	all := map[string][]string{}
	for _, provider := range providerNames() {
		for _, kind := range []string{"Deployment", "DaemonSet"} {
			base := []string{minimal(provider), "kind: " + kind}
			add := func(name string, more ...string) {
				all[provider+"-"+kind+"-"+name] = append(base[:2:2], more...)
			}
			add("minimal")
			add("pod-network", onPodNetwork)
			add("dry-run", "safety: {mode: dry-run}")
			if kind == "Deployment" {
				add("everything", everything, settings[provider])
			} else {
				add("everything", everything, settings[provider], "replicaCount: 1")
			}
		}
	}
	return all
}
