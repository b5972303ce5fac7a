package chart_test

import (
	"strings"
	"testing"
)

func TestNotes(t *testing.T) {
	tests := map[string]string{
		"default":  "",
		"dry-run":  "safety: {mode: dry-run}",
		"inline":   "sim: {credentials: {inline: {token: t}}}",
		"kubeadm":  "platform: kubeadm",
		"k3s":      "platform: k3s",
		"rke2":     "platform: rke2",
		"talos":    "platform: talos",
		"k0s":      "platform: k0s",
		"kops":     "platform: kops",
		"daemon":   "kind: DaemonSet",
		"override": "{fullnameOverride: ccm, namespaceOverride: clouds, image: {variant: all}}",
	}
	for name, values := range tests {
		golden(t, "testdata/notes/"+name+".txt", mustRender(t, release{values: []string{minimal("sim"), values}}).notes)
	}
}

// Only what is secret is warned of: a cloud.conf of AWS has no secret, one of OpenStack may.
func TestNotesWarnOfSecrets(t *testing.T) {
	for _, tt := range []struct {
		provider, values string
		warns            bool
	}{
		{"aws", "aws: {credentials: {inline: {cloudConf: '[Global]'}}}", false},
		{"aws", "aws: {credentials: {keys: {accessKeyID: id, secretAccessKey: key}, inline: {cloudConf: '[Global]'}}}", false},
		{"aws", "aws: {credentials: {inline: {accessKeyID: id, secretAccessKey: key, cloudConf: '[Global]'}}}", true},
		{"openstack", "openstack: {credentials: {inline: {cloudConf: '[Global]'}}}", true},
		{"digitalocean", "digitalocean: {credentials: {inline: {token: t}}}", true},
		{"digitalocean", "", false},
	} {
		notes := mustRender(t, release{values: []string{minimal(tt.provider), tt.values}}).notes
		if got := strings.Contains(notes, "WARNING: the credentials are part of the release"); got != tt.warns {
			t.Errorf("%s with %q: warns %t, want %t", tt.provider, tt.values, got, tt.warns)
		}
	}
}
