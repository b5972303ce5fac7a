package main

import (
	"strings"
	"testing"
)

func TestUnknownCloudIsRefused(t *testing.T) {
	err := missing("aws")
	if err == nil || !strings.Contains(err.Error(), `"aws"`) || !strings.Contains(err.Error(), "CLOUD=openstack") {
		t.Errorf("error %v, want one that lists the clouds", err)
	}
	if err := missing("sim"); err != nil {
		t.Errorf("sim: %v", err)
	}
}
