package app

import (
	"slices"
	"testing"
)

func TestElsewhereArgs(t *testing.T) {
	got := elsewhereArgs([]string{"/ccm", "--", "--cloud-config", "/a", "--cluster-name", "prod", "--kubeconfig=/b", "-v=2", "--dry-run"})
	if want := []string{"/ccm", "--cluster-name", "prod", "--dry-run"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
