package lab

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// plainLimit bounds the build of the binary without the race detector.
const plainLimit = 15 * time.Minute

// PlainBinary is a binary without the race detector, for tests that kill dozens of processes one after the
// other: with it each start takes seconds of processor time. It is the one of CCM_PLAIN_BINARY, or else the
// one that a caller gave, or else it is built once.
func (l *Lab) PlainBinary() (string, error) {
	l.plain.Do(func() {
		if l.plainPath = cmp.Or(os.Getenv("CCM_PLAIN_BINARY"), l.given); l.plainPath != "" {
			return
		}
		dir := filepath.Join(l.dir, "plain")
		if l.plainErr = os.Mkdir(dir, 0o700); l.plainErr != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), plainLimit)
		defer cancel()
		l.plainPath, l.plainErr = ccm.Build(ctx, ccm.BuildOptions{Dir: dir})
	})
	if l.plainErr != nil {
		return "", fmt.Errorf("making a binary without the race detector: %w", l.plainErr)
	}
	return l.plainPath, nil
}
