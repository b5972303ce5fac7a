package chart_test

import (
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
