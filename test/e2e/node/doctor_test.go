package node_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// doctor runs the program's check-up with the rights of the CCM.
func (s *site) doctor(token string) (string, error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.within(patience), s.Binary(), "doctor", "--cloud-provider=digitalocean", "--kubeconfig="+s.Kubeconfig())
	cmd.Env = append(os.Environ(), "DO_ACCESS_TOKEN="+token, "DO_OVERRIDE_URL="+s.CloudURL(), "REGION=nyc3")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The check-up needs no rights but the CCM's own, and finds what is wrong.
func TestDoctor(t *testing.T) {
	s := open(t)
	s.pool(3)
	s.start("--leader-elect=true")
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: "of-another-cloud", ProviderID: "other://1"})
	s.must(err)
	s.eventually(func() error {
		_, err := s.doctor(token)
		return err
	})
	out, _ := s.doctor(token)
	if !contains(out, "leads", "3 in order, 1 left alone", "3 in the cloud") {
		t.Errorf("a sound cluster:\n%s", out)
	}
	s.Cloud.ResetTraffic()
	out, err = s.doctor("expired-secret")
	if err == nil || !contains(out, "FAILURE", "credentials", "the cloud refuses the credentials") || strings.Contains(out, "expired-secret") {
		t.Errorf("with a wrong token: %v\n%s", err, out)
	}
	if n := s.Cloud.Counters().Mutating; n != 0 {
		t.Errorf("it made %d changes", n)
	}
}
