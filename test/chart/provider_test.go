package chart_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/internal/app"
	"github.com/multicloud-ccm/multicloud-ccm/internal/chart"
	"github.com/multicloud-ccm/multicloud-ccm/internal/config"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// acme is a cloud with everything a provider can declare.
var acme = cloud.Descriptor{
	Name: "acme", Title: "Acme", ProviderIDSchemes: []string{"acme"}, Secret: "acme-cloud",
	Capabilities: cloud.Capabilities{Balancers: true, Routes: true},
	ConfigFile:   &cloud.ConfigFile{Value: "cloudConf", Key: "cloud.conf", Required: true, Doc: "Acme's own file."},
	Settings: []cloud.Setting{
		{Name: "ACME_KEY", Secret: true, Required: true, Value: "key", Key: "api-key", Doc: "Key."},
		{Name: "ACME_EXTRA", Secret: true, Value: "extra", Key: "extra", Doc: "More."},
		{Name: "ACME_PROJECT", Required: true, Value: "project", Doc: "Project."},
		{Name: "ACME_RATE", Value: "api.rate", Type: cloud.SettingNumber, Default: "5", Doc: "Rate."},
		{Name: "ACME_RETRY", Value: "api.retry", Type: cloud.SettingBool, Default: "true", Doc: "Retry."},
		{Name: "ACME_ZONES", Value: "zones", Type: cloud.SettingList, Doc: "Zones."},
		{Name: "ACME_OLD", Doc: "Accepted and ignored."},
	},
}

// A new provider changes no template: the chart is made again with one more, in memory.
func TestANewProviderNeedsNoTemplate(t *testing.T) {
	c := withProvider(t, acme)
	least := "provider: acme\nclusterName: c\nacme: {project: p}"
	out := mustRender(t, release{chart: c, values: []string{least}})
	if want := []string{"--cloud-provider=acme", "--cloud-config=/etc/multicloud-ccm/credentials/cloudConf"}; !slices.Equal(out.args(t)[:2], want) {
		t.Errorf("flags %q, want %q first", out.args(t), want)
	}
	want := map[string]string{"ACME_KEY_FILE": "/etc/multicloud-ccm/credentials/key", "ACME_PROJECT": "p"}
	if got := out.env(t); !maps.Equal(got, want) {
		t.Errorf("variables %v, want %v", got, want)
	}
	var keys []string
	for _, item := range out.pod(t).Spec.Volumes[0].Projected.Sources[0].Secret.Items {
		keys = append(keys, item.Key)
	}
	if !slices.Equal(keys, []string{"api-key", "cloud.conf"}) {
		t.Errorf("keys %v", keys)
	}

	out = mustRender(t, release{chart: c, values: []string{least, `
acme:
  credentials: {keys: {extra: extra}}
  api: {rate: 7, retry: false}
  zones: [a, b]`}})
	for name, value := range map[string]string{"ACME_RATE": "7", "ACME_RETRY": "false", "ACME_ZONES": "a,b", "ACME_EXTRA_FILE": "/etc/multicloud-ccm/credentials/extra"} {
		if out.env(t)[name] != value {
			t.Errorf("%s is %q, want %q", name, out.env(t)[name], value)
		}
	}
	for _, skip := range []bool{false, true} {
		if _, err := render(t, release{chart: c, values: []string{"provider: acme\nclusterName: c"}, skipSchema: skip}); err == nil || !strings.Contains(err.Error(), "project") {
			t.Errorf("without its project, schema skipped %t: %v", skip, err)
		}
	}
	if _, err := render(t, release{chart: c, values: []string{minimal("sim")}}); err != nil {
		t.Errorf("another provider needs acme's settings: %v", err)
	}
}

// withProvider returns the chart as the generator makes it with one more provider.
func withProvider(t *testing.T, d cloud.Descriptor) *helmchart.Chart {
	t.Helper()
	flags, err := app.Flags()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(chartDir(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	generated, err := chart.Files(chart.Input{Providers: append(descriptors(), d), Flags: flags, README: readme})
	if err != nil {
		t.Fatal(err)
	}
	var files []*loader.BufferedFile
	for _, file := range loadChart(t).Raw {
		content := file.Data
		if made, ok := generated[file.Name]; ok {
			content = made
		}
		files = append(files, &loader.BufferedFile{Name: file.Name, Data: content})
	}
	c, err := loader.LoadFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every variable that is rendered is one the provider declares, and what it needs to start is
// there.
func TestVariablesAreTheProviders(t *testing.T) {
	for _, d := range descriptors() {
		for name, values := range variations() {
			if !strings.HasPrefix(name, d.Name+"-") {
				continue
			}
			env := mustRender(t, release{values: values}).env(t)
			declared := map[string]bool{"KUBERNETES_SERVICE_HOST": true, "KUBERNETES_SERVICE_PORT": true, "HTTPS_PROXY": true}
			for _, s := range d.Settings {
				declared[s.Name] = true
				declared[s.Name+"_FILE"] = s.Secret
			}
			for variable := range env {
				if !declared[variable] {
					t.Errorf("%s: the provider has no variable %s", name, variable)
				}
			}
			mounted := func(variable string) string {
				if path, ok := env[variable]; ok && strings.HasSuffix(variable, "_FILE") {
					return secretFile(t, path)
				}
				return env[variable]
			}
			if _, err := config.New(d.Settings, mounted); err != nil {
				t.Errorf("%s: the provider would not start: %v", name, err)
			}
		}
	}
}

// secretFile stands for the mounted Secret.
func secretFile(t *testing.T, path string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// All settings of every provider have a value in the chart or are named here, with a reason.
func TestSettingsHaveValues(t *testing.T) {
	without := map[string]string{
		"DEBUG_ADDR":   "accepted for compatibility and ignored",
		"METRICS_ADDR": "accepted for compatibility and ignored",

		"HCLOUD_DEBUG":                "accepted for compatibility and ignored",
		"HCLOUD_METRICS_ENABLED":      "accepted for compatibility and ignored",
		"HCLOUD_METRICS_ADDRESS":      "accepted for compatibility and ignored",
		"HCLOUD_SERVER_CACHE_MODE":    "accepted for compatibility and ignored",
		"HCLOUD_SERVER_CACHE_MAX_AGE": "accepted for compatibility and ignored",
		"ROBOT_CACHE_TIMEOUT":         "accepted for compatibility and ignored",
		"ROBOT_RATE_LIMIT_WAIT_TIME":  "accepted for compatibility and ignored",

		"OS_CLIENT_CONFIG_FILE":     "names a file of a volume of the user's own",
		"OS_CLOUD":                  "belongs to that file",
		"OCCM_WAIT_LB_ACTIVE_STEPS": "accepted for compatibility and ignored",

		"GOOGLE_APPLICATION_CREDENTIALS": "names a file of a volume of the user's own",

		"AWS_DEFAULT_REGION":                         "the value region is AWS_REGION, which comes first",
		"AWS_ROLE_ARN":                               "the webhook of the service account's annotation sets it",
		"AWS_WEB_IDENTITY_TOKEN_FILE":                "the webhook of the service account's annotation sets it",
		"AWS_ROLE_SESSION_NAME":                      "the webhook of the service account's annotation sets it",
		"AWS_CA_BUNDLE":                              "names a file of a volume of the user's own",
		"AWS_ENDPOINT_URL_EC2":                       "endpointURL is the one of all services",
		"AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING":    "endpointURL is the one of all services",
		"AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2": "endpointURL is the one of all services",
		"AWS_ENDPOINT_URL_STS":                       "endpointURL is the one of all services",
	}
	// What the values of settings leave out, because only one of two may be set.
	instead := map[string]string{"hcloud": "hcloud: {loadBalancers: {networkZone: '', location: fsn1}}"}
	for _, d := range descriptors() {
		set := settings[d.Name]
		env := mustRender(t, release{values: []string{minimal(d.Name), set}}).env(t)
		if other := instead[d.Name]; other != "" {
			maps.Copy(env, mustRender(t, release{values: []string{minimal(d.Name), set, other}}).env(t))
		}
		for _, s := range d.Settings {
			variable := s.Name
			if s.Secret {
				variable += "_FILE"
			}
			if _, rendered := env[variable]; rendered != (without[s.Name] == "") {
				t.Errorf("%s: %s rendered: %t", d.Name, variable, rendered)
			}
		}
	}
}

// Whatever the chart offers is among the providers of these tests.
func TestEveryProviderIsTested(t *testing.T) {
	offered := map[string]any{}
	for _, file := range loadChart(t).Raw {
		if file.Name == "files/providers.yaml" {
			if err := yaml.Unmarshal(file.Data, &offered); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := providerNames(), slices.Sorted(maps.Keys(offered)); !slices.Equal(got, want) {
		t.Errorf("the tests have %v, the chart has %v", got, want)
	}
}
