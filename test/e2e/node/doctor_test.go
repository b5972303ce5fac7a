package node_test

import (
	"fmt"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// doctor runs the program's check-up with the rights of the CCM.
func (p program) doctor() (string, error) {
	p.site.t.Helper()
	got := p.run("", "doctor")
	if got.code != 0 {
		return got.stdout + got.stderr, fmt.Errorf("the exit code is %d", got.code)
	}
	return got.stdout + got.stderr, nil
}

// The check-up needs no rights but the CCM's own, and finds what is wrong.
func TestDoctor(t *testing.T) {
	s := open(t, testcloud.API)
	s.pool(3)
	s.start("--leader-elect=true")
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: "of-another-cloud", ProviderID: "other://1"})
	s.must(err)
	s.eventually(func() error {
		out, err := s.program.doctor()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	out, _ := s.program.doctor()
	if !contains(out, "leads", "3 in order, 1 left alone", "3 machines in the cloud") {
		t.Errorf("a sound cluster:\n%s", out)
	}
	s.Cloud.ResetTraffic()
	s.refuse()
	out, err = s.program.doctor()
	if err == nil || !contains(out, "FAILURE", "credentials", "the cloud refuses the credentials") {
		t.Errorf("with credentials that are refused: %v\n%s", err, out)
	}
	if n := s.changes(); n != 0 {
		t.Errorf("it made %d changes", n)
	}
}
