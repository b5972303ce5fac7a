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
		"kubelets": "controllers: {kubeletServingCertificate: {enabled: true}}",
		"override": "{fullnameOverride: ccm, namespaceOverride: clouds, image: {variant: all}}",
	}
	for name, values := range tests {
		golden(t, "testdata/notes/"+name+".txt", mustRender(t, release{values: []string{minimal("sim"), values}}).notes)
	}
	for name, values := range map[string]string{"static": "", "static-k3s": "platform: k3s"} {
		golden(t, "testdata/notes/"+name+".txt", mustRender(t, release{values: []string{minimal("static"), values}}).notes)
	}
}

// What else is to be known of a provider is in its notes, and in those of no other.
func TestNotesOfProviders(t *testing.T) {
	for _, d := range descriptors() {
		notes := strings.Join(strings.Fields(mustRender(t, release{values: []string{minimal(d.Name)}}).notes), " ")
		for _, of := range descriptors() {
			for _, note := range of.Notes {
				if strings.Contains(notes, "- "+note) != (of.Name == d.Name) {
					t.Errorf("the notes of %s, with one of %s, %q:\n%s", d.Name, of.Name, note, notes)
				}
			}
		}
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
		{"hcloud", "hcloud: {credentials: {inline: {network: net}}}", false},
		{"hcloud", "hcloud: {credentials: {inline: {network: net, token: t}}}", true},
	} {
		notes := mustRender(t, release{values: []string{minimal(tt.provider), tt.values}}).notes
		if got := strings.Contains(notes, "WARNING: the credentials are part of the release"); got != tt.warns {
			t.Errorf("%s with %q: warns %t, want %t", tt.provider, tt.values, got, tt.warns)
		}
	}
}

// Until there is a release, nobody has the chart's own image. A released chart lists its images.
func TestNotesSayThatThereIsNoImage(t *testing.T) {
	released := loadChart(t)
	released.Metadata.Annotations["artifacthub.io/images"] = "[]"
	for name, tt := range map[string]struct {
		release
		says bool
	}{
		"a clone":               {release{values: []string{minimal("sim")}}, true},
		"a clone, another tag":  {release{values: []string{minimal("sim"), "image: {tag: v9}"}}, true},
		"an image of one's own": {release{values: []string{minimal("sim"), "image: {registry: registry.example, repository: ccm}"}}, false},
		"a mirror":              {release{values: []string{minimal("sim"), "image: {registry: registry.example}"}}, false},
		"a release":             {release{values: []string{minimal("sim")}, chart: released}, false},
	} {
		if got := strings.Contains(mustRender(t, tt.release).notes, "This chart is of no release"); got != tt.says {
			t.Errorf("%s: says %t, want %t", name, got, tt.says)
		}
	}
}

// Where nothing serves Services of type LoadBalancer the notes say so.
func TestNotesSayThatServicesAreNotServed(t *testing.T) {
	for _, tt := range []struct {
		provider, values string
		says             bool
	}{
		{"gce", "", true},
		{"static", "", true},
		{"sim", "", false},
		{"sim", "controllers: {service: {enabled: false}}", true},
	} {
		notes := mustRender(t, release{values: []string{minimal(tt.provider), tt.values}}).notes
		if got := strings.Contains(notes, "Services of type LoadBalancer are not served by this release"); got != tt.says {
			t.Errorf("%s with %q: says %t, want %t:\n%s", tt.provider, tt.values, got, tt.says, notes)
		}
	}
}
