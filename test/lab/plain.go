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
	path, err := l.plain()
	if err != nil {
		return "", fmt.Errorf("making a binary without the race detector: %w", err)
	}
	return path, nil
}

// makePlain makes that binary. All callers share the build, so that it has a deadline of its own.
func (l *Lab) makePlain() (string, error) {
	if path := cmp.Or(os.Getenv("CCM_PLAIN_BINARY"), l.given); path != "" {
		return path, nil
	}
	dir := filepath.Join(l.dir, "plain")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), plainLimit)
	defer cancel()
	return ccm.Build(ctx, ccm.BuildOptions{Dir: dir})
}
