package chart_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// What is inline comes from the chart's Secret and the rest from the existing one. Nothing is
// dropped, because the program would find other credentials in its place.
func TestCredentialsFromTwoSecrets(t *testing.T) {
	const path = "/etc/multicloud-ccm/credentials/"
	const own = "multicloud-ccm-credentials"
	all := withProvider(t, acme)
	for _, tt := range []struct {
		name, provider, values string
		mounted                map[string]string // Secret/key by path
		variables              []string
		config                 bool
		inline                 []string // keys of the chart's Secret
	}{
		{
			"keys and inline file", "aws",
			"aws: {credentials: {keys: {accessKeyID: access-key-id, secretAccessKey: secret-access-key}, inline: {cloudConf: '[Global]'}}}",
			map[string]string{
				"accessKeyID":     "aws-cloud-controller-manager/access-key-id",
				"secretAccessKey": "aws-cloud-controller-manager/secret-access-key",
				"cloudConf":       own + "/cloud.conf",
			},
			[]string{"AWS_ACCESS_KEY_ID_FILE", "AWS_SECRET_ACCESS_KEY_FILE"}, true, []string{"cloud.conf"},
		},
		{
			"inline keys and file", "aws",
			"aws: {credentials: {existingSecret: mine, keys: {cloudConf: my.conf}, inline: {accessKeyID: id, secretAccessKey: key}}}",
			map[string]string{
				"accessKeyID": own + "/access-key-id", "secretAccessKey": own + "/secret-access-key", "cloudConf": "mine/my.conf",
			},
			[]string{"AWS_ACCESS_KEY_ID_FILE", "AWS_SECRET_ACCESS_KEY_FILE"}, true, []string{"access-key-id", "secret-access-key"},
		},
		{"nothing", "aws", "", map[string]string{}, nil, false, nil},
		{
			"inline in place of a default key", "digitalocean", "digitalocean: {credentials: {inline: {token: t}}}",
			map[string]string{"token": own + "/access-token"}, []string{"DO_ACCESS_TOKEN_FILE"}, false, []string{"access-token"},
		},
		{
			"inline file in place of a default key", "openstack", "openstack: {credentials: {inline: {cloudConf: '[Global]'}}}",
			map[string]string{"cloudConf": own + "/cloud.conf"}, nil, true, []string{"cloud.conf"},
		},
		{
			"a required key stays", "acme", "acme: {project: p, credentials: {inline: {cloudConf: c}}}",
			map[string]string{"key": "acme-cloud/api-key", "cloudConf": own + "/cloud.conf"}, []string{"ACME_KEY_FILE"}, true, []string{"cloud.conf"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := mustRender(t, release{chart: all, values: []string{minimal(tt.provider), tt.values}})
			if diff := cmp.Diff(tt.mounted, mounted(out.pod(t).Spec)); diff != "" {
				t.Errorf("mounted (-want +got):\n%s", diff)
			}
			if doctor := as[corev1.Pod](t, out, "Pod", "").Spec; !maps.Equal(mounted(doctor), tt.mounted) {
				t.Errorf("the doctor's Pod has %v", mounted(doctor))
			}
			env := out.env(t)
			for _, variable := range tt.variables {
				if env[variable] == "" {
					t.Errorf("no variable %s among %v", variable, env)
				}
			}
			if got := slices.Contains(out.args(t), "--cloud-config="+path+"cloudConf"); got != tt.config {
				t.Errorf("--cloud-config: %t, want %t", got, tt.config)
			}
			var keys []string
			if out.find("Secret", "") != nil {
				keys = slices.Sorted(maps.Keys(as[corev1.Secret](t, out, "Secret", own).StringData))
			}
			if !slices.Equal(keys, tt.inline) {
				t.Errorf("the chart's Secret has %q, want %q", keys, tt.inline)
			}
		})
	}
}

// A Secret is one source, whatever of it is mounted: its keys are never of two rotations.
func TestASecretIsOneSource(t *testing.T) {
	out := mustRender(t, release{values: []string{minimal("aws"), settings["aws"]}})
	sources := out.pod(t).Spec.Volumes[0].Projected.Sources
	if len(sources) != 1 || len(sources[0].Secret.Items) != 4 {
		t.Errorf("sources %v, want one with 4 items", sources)
	}
}

// mounted returns which Secret's key is at which path of the volume of credentials.
func mounted(pod corev1.PodSpec) map[string]string {
	files := map[string]string{}
	for _, volume := range pod.Volumes {
		if volume.Name != "credentials" {
			continue
		}
		for _, source := range volume.Projected.Sources {
			for _, item := range source.Secret.Items {
				files[item.Path] = source.Secret.Name + "/" + item.Key
			}
		}
	}
	return files
}
