package digitalocean

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// testConfig is a configuration with these variables on top of the defaults.
func testConfig(env map[string]string) cloud.Config {
	values := map[string]string{}
	for _, s := range declaredSettings() {
		values[s.Name] = s.Default
	}
	values[envToken] = "token-1"
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
			envRegion: "fra1", envClusterID: "c-1", envVPC: "8b5a3c1e-0000-4000-8000-000000000000", envQPS: "2.5", envDefaultType: "REGIONAL",
			envFirewallName: "fw", envFirewallTags: "a, b,", envURL: "https://proxy.example/do/", envDebug: ":1", envMetrics: "nonsense",
		}},
		{name: "no token", env: map[string]string{envToken: " "}, refused: []string{envToken}},
		{name: "everything wrong", env: map[string]string{
			envToken: "", envRegion: "FRA 1", envClusterID: "a b", envVPC: "../x", envQPS: "fast", envDefaultType: "GLOBAL",
			envFirewallName: "fw", envURL: "api.example", envMetadataURL: "ftp://x",
		}, refused: []string{envToken, envRegion + ":", envClusterID, envVPC, envQPS, envDefaultType, envFirewallTags, envURL, envMetadataURL}},
		{name: "zero requests", env: map[string]string{envQPS: "0"}, refused: []string{envQPS}},
		{name: "no number of requests", env: map[string]string{envQPS: "NaN"}, refused: []string{envQPS}},
		{name: "tags without name", env: map[string]string{envFirewallTags: "a"}, refused: []string{envFirewallName}},
		{name: "too many tags", env: map[string]string{envFirewallName: "fw", envFirewallTags: "a,b,c,d,e,f"}, refused: []string{"5 tags"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readSettings(testConfig(test.env))
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
	s, err := readSettings(testConfig(map[string]string{envFirewallName: "fw", envFirewallTags: " b,a ,,b"}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, s.firewallTags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}

func TestSettingsKeepSecrets(t *testing.T) {
	c := testConfig(map[string]string{envURL: "https://user:hunter2@%zz"})
	c.Secret = func(string) (string, error) { return "", errors.New("no such file") }
	if _, err := readSettings(c); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error = %v", err)
	}
}
