package chart_test

import (
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// item is a position in a list, as the schema's errors write it.
var item = regexp.MustCompile(`\.([0-9]+)`)

// strict is the schema for editors. What it refuses, the templates refuse too, so helm need not
// read it.
func strict(t *testing.T) []byte {
	t.Helper()
	for _, file := range loadChart(t).Files {
		if file.Name == "files/values.schema.json" {
			return file.Data
		}
	}
	t.Fatal("the chart has no files/values.schema.json")
	return nil
}

// fits compares values with the strict schema.
func fits(t *testing.T, schema []byte, layers []string) error {
	t.Helper()
	values := map[string]any{}
	for _, text := range layers {
		layer := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &layer); err != nil {
			t.Fatal(err)
		}
		values = chartutil.MergeTables(layer, values)
	}
	values, err := chartutil.CoalesceValues(loadChart(t), values)
	if err != nil {
		t.Fatal(err)
	}
	return chartutil.ValidateAgainstSingleSchema(values, schema)
}

func TestSchemaAccepts(t *testing.T) {
	schema := strict(t)
	for name, values := range variations() {
		if _, err := render(t, release{values: values}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := fits(t, schema, values); err != nil {
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
		`static: {inventory: {}}`, `static: {inventory: null}`, `{provider: static, static: {inventory: {apiVersion: static.multicloud-ccm.io/v1, kind: Inventory}}}`,
	} {
		if _, err := render(t, release{values: []string{minimal("sim"), values}}); err != nil {
			t.Errorf("%s: %v", values, err)
		}
		if err := fits(t, schema, []string{minimal("sim"), values}); err != nil {
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
		{"static", `static: {inventory: {regoin: x}}`, "/static/inventory"},
		{"static", `static: {inventory: {others: "yes"}}`, "/static/inventory/others"},
		{"static", `static: {inventory: {kind: Machines}}`, "/static/inventory/kind"},
		{"static", `static: {inventory: {machines: {name: x}}}`, "/static/inventory/machines"},
		{"static", `static: {inventory: {machines: [x]}}`, "/static/inventory/machines/0"},
		{"static", `static: {inventory: {machines: [{name: a}, {nam: x}]}}`, "/static/inventory/machines/1"},
		{"static", `static: {inventory: {machines: [{name: x, zone: 1}]}}`, "/static/inventory/machines/0/zone"},
		{"static", `static: {inventory: {machines: [{name: x, externalIPs: 203.0.113.7}]}}`, "/static/inventory/machines/0/externalIPs"},
		{"static", `static: {inventory: {machines: [{name: x, names: "x*"}]}}`, "/static/inventory/machines/0"},
		{"sim", `static: {inventory: {others: true}}`, "/static/inventory"},
		// An inventory is no secret.
		{"static", `static: {credentials: {existingSecret: mine}}`, "/static"},
		// What upstream's chart calls it.
		{"openstack", `cloudConfig: {global: {region: x}}`, "additional properties 'cloudConfig'"},
		{"openstack", `secret: {name: cloud-config}`, "additional properties 'secret'"},
		// Conditions on the provider: this cloud has no routes.
		{"digitalocean", `controllers: {route: {enabled: true, clusterCIDR: 10.0.0.0/8}}`, "/controllers/route/enabled"},
	}
	schema := strict(t)
	for _, tt := range tests {
		layers := []string{minimal(tt.provider), tt.values}
		if err := fits(t, schema, layers); err == nil || !strings.Contains(err.Error(), tt.at) {
			t.Errorf("%s %s: error %v, want one of the schema at %s", tt.provider, tt.values, err, tt.at)
		}
		path := item.ReplaceAllString(strings.ReplaceAll(strings.TrimPrefix(tt.at, "/"), "/", "."), "[$1]")
		if _, name, unknown := strings.Cut(tt.at, "properties '"); unknown {
			path = strings.TrimSuffix(name, "'")
		}
		_, err := render(t, release{values: layers})
		if err == nil || !strings.Contains(err.Error(), "in the values:\n  1. "+path) {
			t.Errorf("%s %s: error %v, want a list that begins with %s", tt.provider, tt.values, err, path)
		}
	}
}
