package digitalocean

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// testConfig is a configuration with these variables on top of the defaults.
func testConfig(env map[string]string) cloud.Config {
	values := map[string]string{}
	for _, s := range config.Declared() {
		values[s.Name] = s.Default
	}
	values[config.EnvToken] = "token-1"
	for name, value := range env {
		values[name] = value
	}
	return cloud.Config{
		Cloud:     "digitalocean",
		Lookup:    func(name string) string { return values[name] },
		Secret:    func(name string) (string, error) { return values[name], nil },
		UserAgent: "multicloud-ccm/test",
	}
}

func TestSettings(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		// refused are parts of the error, all of which must be there.
		refused []string
	}{
		{name: "defaults"},
		{name: "all", env: map[string]string{
			config.EnvRegion: "fra1", config.EnvClusterID: "c-1", config.EnvVPC: "8b5a3c1e-0000-4000-8000-000000000000", config.EnvQPS: "2.5", config.EnvDefaultType: "REGIONAL",
			config.EnvFirewallName: "fw", config.EnvFirewallTags: "a, b,", config.EnvURL: "https://proxy.example/do/", config.EnvDebug: ":1", config.EnvMetrics: "nonsense",
		}},
		{name: "everything wrong", env: map[string]string{
			config.EnvRegion: "FRA 1", config.EnvClusterID: "a b", config.EnvVPC: "x", config.EnvQPS: "fast", config.EnvDefaultType: "GLOBAL",
			config.EnvFirewallName: "fw", config.EnvURL: "api.example", config.EnvMetadataURL: "ftp://x",
		}, refused: []string{config.EnvRegion + ":", config.EnvClusterID, config.EnvVPC, config.EnvQPS, config.EnvDefaultType, config.EnvFirewallTags, config.EnvURL, config.EnvMetadataURL}},
		{name: "zero requests", env: map[string]string{config.EnvQPS: "0"}, refused: []string{config.EnvQPS}},
		{name: "no number of requests", env: map[string]string{config.EnvQPS: "NaN"}, refused: []string{config.EnvQPS}},
		{name: "tags without name", env: map[string]string{config.EnvFirewallTags: "a"}, refused: []string{config.EnvFirewallName}},
		{name: "too many tags", env: map[string]string{config.EnvFirewallName: "fw", config.EnvFirewallTags: "a,b,c,d,e,f"}, refused: []string{"5 tags"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Read(testConfig(test.env))
			if (err != nil) != (len(test.refused) > 0) {
				t.Fatalf("error = %v", err)
			}
			for _, part := range test.refused {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error does not mention %s:\n%v", part, err)
				}
			}
		})
	}
	s, err := config.Read(testConfig(map[string]string{config.EnvFirewallName: "fw", config.EnvFirewallTags: " b,a ,,b"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, s.FirewallTags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}

func TestSettingsKeepSecrets(t *testing.T) {
	c := testConfig(map[string]string{config.EnvURL: "https://user:hunter2@%zz"})
	if _, err := config.Read(c); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error = %v", err)
	}
}
