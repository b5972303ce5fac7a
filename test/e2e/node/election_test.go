package node_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

const leaseName = "cloud-controller-manager"

// holder returns who holds the lease, "" for nobody.
func (s *site) holder() string {
	s.t.Helper()
	lease, err := s.Client().CoordinationV1().Leases(lab.Namespace).Get(s.within(patience), leaseName, metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// pair starts a leader and a standby.
func (s *site) pair() (leader, standby *ccm.Process, identity string) {
	s.t.Helper()
	ctx, leases := s.within(patience), s.Client().CoordinationV1().Leases(lab.Namespace)
	_ = leases.Delete(ctx, leaseName, metav1.DeleteOptions{}) // of a test before
	leader = s.start("--leader-elect=true")
	s.eventually(func() error {
		if identity = s.holder(); identity == "" {
			return fmt.Errorf("nobody holds the lease")
		}
		return nil
	})
	standby = s.start("--leader-elect=true") // waits until /healthz answers 200
	return leader, standby, identity
}

// takeover waits until somebody else than before holds the lease and has initialised a
// Node, and returns how long the lease took.
func (s *site) takeover(before string) time.Duration {
	s.t.Helper()
	began := time.Now()
	fresh := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), fresh.Node())
	s.must(err)
	s.eventually(func() error {
		if now := s.holder(); now == "" || now == before {
			return fmt.Errorf("the lease is held by %q, before by %q", now, before)
		}
		return nil
	})
	took := time.Since(began)
	s.node(fresh.Name, initialised)
	return took
}

// A leader that is told to stop ends with 0 and gives the lease back.
func TestStoppedLeaderHandsOver(t *testing.T) {
	s := open(t)
	s.pool(3)
	leader, _, identity := s.pair()
	s.must(leader.Stop(s.within(patience)))
	if code := leader.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	took := s.takeover(identity)
	t.Logf("the standby led %v after the leader's end", took.Round(time.Millisecond))
	if took > 3*time.Second {
		t.Errorf("the standby led after %v, want less than 3s", took)
	}
}

// A leader that dies keeps the lease until it expires.
func TestKilledLeaderIsReplaced(t *testing.T) {
	s := open(t)
	s.pool(3)
	leader, _, identity := s.pair()
	leader.Kill()
	took := s.takeover(identity)
	t.Logf("the standby led %v after the leader's death", took.Round(time.Millisecond))
	if took > 15*time.Second {
		t.Errorf("the standby led after %v, want at most 15s", took)
	}
}
