package node_test

import (
	"context"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// contains reports whether text has all parts.
func contains(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// eventually waits until check returns nil.
func (s *site) eventually(check func() error) {
	s.t.Helper()
	s.must(controlplane.Eventually(s.within(patience), func(context.Context) error { return check() }))
}

// passes counts the status passes that a log tells about at level 2.
func passes(log string) int { return strings.Count(log, "nodes status took") }
