package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestUnknownVariables(t *testing.T) {
	ours := cloud.Descriptor{
		Name:      "hcloud",
		Variables: cloud.Variables{Prefix: "HCLOUD_", Others: []string{"HCLOUD_CONTEXT"}},
		Settings: []cloud.Setting{
			{Name: "HCLOUD_TOKEN", Secret: true}, {Name: "HCLOUD_LOAD_BALANCERS_LOCATION"}, {Name: "ROBOT_USER"}, {Name: "REGION"},
		},
	}
	shared := cloud.Descriptor{
		Name: "aws", Variables: cloud.Variables{Others: []string{"AWS_ENDPOINT_URL_*"}},
		Settings: []cloud.Setting{{Name: "AWS_REGION"}, {Name: "AWS_ENDPOINT_URL"}, {Name: "AWS_ENDPOINT_URL_EC2"}, {Name: "AWS_ACCESS_KEY_ID", Secret: true}},
	}
	told := func(name, provider, meant string) string {
		text := "environment variable " + name + " is set, and provider " + provider + " does not read it"
		if meant != "" {
			text += "; did you mean " + meant + "?"
		}
		return text
	}
	for variable, want := range map[string]string{
		"HCLOUD_TOKEN=x":                       "",
		"HCLOUD_TOKEN_FILE=/token":             "",
		"HCLOUD_TOKNE=x":                       told("HCLOUD_TOKNE", "hcloud", "HCLOUD_TOKEN"),
		"HCLUOD_TOKEN=x":                       told("HCLUOD_TOKEN", "hcloud", "HCLOUD_TOKEN"),
		"HCLOUD_TOKEN_FIEL=/token":             told("HCLOUD_TOKEN_FIEL", "hcloud", "HCLOUD_TOKEN_FILE"),
		"HCLOUD_TOKNE=":                        "",
		"HCLOUD_LOAD_BALANCERS_LOCATON=fsn1":   told("HCLOUD_LOAD_BALANCERS_LOCATON", "hcloud", "HCLOUD_LOAD_BALANCERS_LOCATION"),
		"HCLOUD_LOCATION_OF_ALL_THINGS=fsn1":   told("HCLOUD_LOCATION_OF_ALL_THINGS", "hcloud", ""),
		"HCLOUD_CONTEXT=prod":                  "",
		"HCLOUD_SERVICE_HOST=10.0.0.1":         "",
		"HCLOUD_CSI_PORT_9189_TCP_PROTO=tcp":   "",
		"HCLOUD_CSI_SERVICE_PORT_METRICS=9189": "",
		"ROBOT_USR=x":                          told("ROBOT_USR", "hcloud", "ROBOT_USER"),
		"ROBOT_OPTIONS=x":                      "",
		"REGIO=x":                              "",
		"PATH=/bin":                            "",
	} {
		if diff := cmp.Diff(want, only(t, UnknownVariables(ours, []string{variable}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", variable, diff)
		}
	}
	// SDKs read more than is declared.
	for variable, want := range map[string]string{
		"AWS_DEFAULT_REGION=x": "", "AWS_PROFILE=x": "", "AWS_ENDPOINT_URL_EC2=x": "", "AWS_ENDPOINT_URL_ECS=x": "",
		"AWS_ACCES_KEY_ID=x": told("AWS_ACCES_KEY_ID", "aws", "AWS_ACCESS_KEY_ID"), "AWS_REIGON=x": told("AWS_REIGON", "aws", "AWS_REGION"),
	} {
		if diff := cmp.Diff(want, only(t, UnknownVariables(shared, []string{variable}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", variable, diff)
		}
	}
}

func only(t *testing.T, told []string) string {
	t.Helper()
	if len(told) > 1 {
		t.Errorf("told %q", told)
	}
	for _, text := range told {
		return text
	}
	return ""
}
