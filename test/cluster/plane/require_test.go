package plane

import (
	"errors"
	"strings"
	"testing"
)

// Each ability that is missing is named in one line with what to do.
func TestKernel(t *testing.T) {
	for _, missing := range abilities {
		err := kernel(func(table string) error {
			if table == missing.table {
				return errors.New("Operation not supported")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), missing.name) || !strings.Contains(err.Error(), missing.advice) || strings.Contains(err.Error(), "\n") {
			t.Errorf("without %s: %v", missing.name, err)
		}
	}
	if err := kernel(func(string) error { return nil }); err != nil {
		t.Error(err)
	}
}

func TestMissingPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Missing(); err == nil || !strings.Contains(err.Error(), "nft, conntrack, sysctl, ip, unshare: not installed; on Debian `make node-deps`") {
		t.Errorf("without programs: %v", err)
	}
}
