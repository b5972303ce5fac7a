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
	if err := missing("sim"); err != nil {
		t.Errorf("sim: %v", err)
	}
}
