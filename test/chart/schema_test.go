package chart_test

import (
	"strings"
	"testing"
)

func TestSchemaAccepts(t *testing.T) {
	for name, values := range variations() {
		if _, err := render(t, release{values: values}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, values := range []string{
		`platform: talos`, `replicaCount: 0`, `enabled: false`, `global: {anything: {goes: here}}`,
		`safety: {nodeDeletion: {fraction: "0.25"}}`, `podDisruptionBudget: {maxUnavailable: 50%}`,
		`extraArgs: {kube-api-qps: 10, kube-api-content-type: null}`, `clusterName: my.cluster.example`, `clusterName: My_Cluster`,
		`aws: {region: eu-central-1}`, `aws: {credentials: {keys: {accessKeyID: access-key-id, secretAccessKey: secret-access-key}}}`,
		`digitalocean: {region: fra1}`, `openstack: {credentials: {existingSecret: mine, keys: {cloudConf: my.conf}}}`,
		`openstack: {credentials: {inline: {cloudConf: "[Global]"}}, regionalProviderID: true}`, `commonLabels: {dropped: null}`,
	} {
		if _, err := render(t, release{values: []string{minimal("sim"), values}}); err != nil {
			t.Errorf("%s: %v", values, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	tests := []struct{ provider, values, at string }{
		{"sim", `replicas: 2`, "additional properties 'replicas'"},
		{"sim", `image: {name: x}`, "/image"},
		{"sim", `sim: {endpont: x}`, "/sim"},
		{"sim", `digitalocean: {credentials: {keys: {tokn: x}}}`, "/digitalocean/credentials/keys"},
		{"sim", `provider: acme`, "/provider"},
		{"sim", `provider: {name: sim}`, "/provider"},
		{"sim", `clusterName: my cluster`, "/clusterName"},
		{"sim", `clusterName: prod/1`, "/clusterName"},
		{"sim", `clusterName: 7`, "/clusterName"},
		{"sim", `platform: openshift`, "/platform"},
		{"sim", `kind: StatefulSet`, "/kind"},
		{"sim", `replicaCount: "2"`, "/replicaCount"},
		{"sim", `replicaCount: -1`, "/replicaCount"},
		{"sim", `hostNetwork: "yes"`, "/hostNetwork"},
		{"sim", `safety: {mode: shadow}`, "/safety/mode"},
		{"sim", `safety: {nodeDeletion: {fraction: 1.5}}`, "/safety/nodeDeletion/fraction"},
		{"sim", `safety: {nodeDeletion: {max: 0}}`, "/safety/nodeDeletion/max"},
		{"sim", `safety: {nodeDeletion: {grace: soon}}`, "/safety/nodeDeletion/grace"},
		{"sim", `controllers: {node: {concurrency: 0}}`, "/controllers/node/concurrency"},
		{"sim", `leaderElection: {enabled: false}`, "/leaderElection"},
		{"sim", `metrics: {port: 70000}`, "/metrics/port"},
		{"sim", `image: {digest: latest}`, "/image/digest"},
		{"sim", `apiServer: {mode: magic}`, "/apiServer/mode"},
		{"sim", `tolerations: {key: x}`, "/tolerations"},
		{"sim", `extraArgs: [--x]`, "/extraArgs"},
		{"sim", `sim: {forward: "true"}`, "/sim/forward"},
		{"sim", `sim: {machines: "a,b"}`, "/sim/machines"},
		{"digitalocean", `digitalocean: {apiQPS: many}`, "/digitalocean/apiQPS"},
		{"digitalocean", `digitalocean: {loadBalancer: {defaultType: GLOBAL}}`, "/digitalocean/loadBalancer/defaultType"},
		{"aws", `aws: {useFIPSEndpoint: "yes"}`, "/aws/useFIPSEndpoint"},
		{"aws", `aws: {credentials: {keys: {token: x}}}`, "/aws/credentials/keys"},
		{"openstack", `openstack: {regionalProviderID: "yes"}`, "/openstack/regionalProviderID"},
		{"openstack", `openstack: {credentials: {keys: {"cloud.conf": x}}}`, "/openstack/credentials/keys"},
		{"openstack", `openstack: {credentials: {inline: {cloudsYaml: x}}}`, "/openstack/credentials/inline"},
		// What upstream's chart calls it.
		{"openstack", `cloudConfig: {global: {region: x}}`, "additional properties 'cloudConfig'"},
		{"openstack", `secret: {name: cloud-config}`, "additional properties 'secret'"},
		// Conditions on the provider: this cloud has no routes.
		{"digitalocean", `controllers: {route: {enabled: true, clusterCIDR: 10.0.0.0/8}}`, "/controllers/route/enabled"},
	}
	for _, tt := range tests {
		_, err := render(t, release{values: []string{minimal(tt.provider), tt.values}})
		if err == nil || !strings.Contains(err.Error(), tt.at) || !strings.Contains(err.Error(), "schema") {
			t.Errorf("%s %s: error %v, want one of the schema at %s", tt.provider, tt.values, err, tt.at)
		}
	}
}
