package gce

import (
	"errors"
	"strings"
	"testing"
)

// upstreamKeys are all that upstream's CCM reads.
const upstreamKeys = `[Global]
token-url = https://token.example.com/x
token-body = "{\"secret\": \"hunter2\"}"
project-id = shop
network-project-id = net
local-zone = us-central1-a
network-name = n
subnetwork-name = s
node-tags = a
node-tags = b
node-instance-prefix = p
multizone = true
regional
stack-type = IPV6
secondary-range-name = r
api-endpoint = https://compute.example.com/compute/v1
container-api-endpoint = https://container.example.com/
alpha-features = ILBSubsets
`

func fileOf(content string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(content), nil }
}

func TestEveryKeyIsKnown(t *testing.T) {
	var warned []string
	got, err := readConfig(fileOf(upstreamKeys), func(text string) { warned = append(warned, text) })
	want := config{
		tokenURL: "https://token.example.com/x", tokenBody: `{"secret": "hunter2"}`, project: "shop", stackType: stackIPv6,
		endpoint: "https://compute.example.com/compute/v1/", networkProject: "net", network: "n", secondaryRange: "r",
	}
	if err != nil || warned != nil || got != want {
		t.Errorf("%+v, warnings %q, error %v", got, warned, err)
	}
	// Each key of the file above is declared, and each that is declared is in it.
	for _, key := range configKeys() {
		if key.Doc == "" || !strings.Contains(upstreamKeys, "\n"+key.Name) {
			t.Errorf("%s has no documentation or is not a key of upstream", key.Name)
		}
	}
}

func TestUnknownKeys(t *testing.T) {
	var warned []string
	_, err := readConfig(fileOf("[global]\nProject-ID = shop\nnode-tag = a\n[LoadBalancer]\nx = y\n"), func(text string) { warned = append(warned, text) })
	if err != nil || len(warned) != 2 || !strings.Contains(warned[0], "node-tag") || !strings.Contains(warned[1], "LoadBalancer") {
		t.Errorf("warnings %q, error %v", warned, err)
	}
}

func TestBadFiles(t *testing.T) {
	for content, want := range map[string]string{
		"[Global]\nproject-id = ../other":                            "project-id",
		"[Global]\nnetwork-project-id = ../other":                    "network-project-id",
		"[Global]\nnetwork-name = projects/p/global/networks/":       "network-name",
		"[Global]\nmultizone = perhaps":                              "multizone",
		"[Global]\napi-endpoint = compute.example.com":               "api-endpoint",
		"[Global]\ntoken-url = //user:hunter2@x\ntoken-body=hunter2": "token-url",
		"project-id = x": "line 1",
	} {
		_, err := readConfig(fileOf(content), nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := readConfig(func() ([]byte, error) { return nil, errors.New("no such file") }, nil); err == nil {
		t.Error("no error for a file that cannot be read")
	}
	if c, err := readConfig(nil, nil); err != nil || c != (config{}) {
		t.Errorf("no file: %+v, %v", c, err)
	}
}
