package doctor

import (
	"context"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// panicking is a driver with a mistake.
type panicking struct{ driver }

func (panicking) Identity(context.Context) (cloud.Identity, error) { panic("a mistake") }

// TestPanic reads the facts with a driver that panics.
func TestPanic(t *testing.T) {
	f := gather(t.Context(), Options{Cloud: fake(panicking{}), ClientErr: context.Canceled}, now)
	if f.sky.err == nil || !strings.Contains(f.sky.err.Error(), "a mistake") {
		t.Errorf("the cloud's error is %v", f.sky.err)
	}
	if len(f.report()) == 0 {
		t.Error("there is no report")
	}
}
