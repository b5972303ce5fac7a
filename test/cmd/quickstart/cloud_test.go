package main

import (
	"strings"
	"testing"
)

func TestUnknownCloudIsRefused(t *testing.T) {
	err := missing("azure")
	if err == nil || !strings.Contains(err.Error(), `"azure"`) || !strings.Contains(err.Error(), "CLOUD=openstack") {
		t.Errorf("error %v, want one that lists the clouds", err)
	}
	for name, want := range map[string]string{"hetzner": "CLOUD=hcloud?", "gcp": "CLOUD=gce?", "opnstack": "CLOUD=openstack?", "DigitalOcean": "CLOUD=digitalocean?"} {
		if err := missing(name); err == nil || !strings.Contains(err.Error(), "did you mean "+want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := missing("sim"); err != nil {
		t.Errorf("sim: %v", err)
	}
}
