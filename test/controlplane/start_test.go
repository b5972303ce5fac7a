package controlplane

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

func TestFailedStartQuotesTheLog(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	_, err := Start(testContext(t), Options{APIServerArgs: []string{"--no-such-flag"}, Controllers: NoControllers})
	if err == nil || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("got error %v, want what kube-apiserver said", err)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestNodeControllersAndStop(t *testing.T) {
	ctx := testContext(t)
	cp, err := Start(ctx, Options{
		Controllers: append(DefaultControllers(), NodeIPAM, NodeLifecycle),
		ClusterCIDR: "10.20.0.0/16",
		KeepDir:     true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(cp.Dir()) })
	if _, err := cp.JoinNode(ctx, NodeOptions{Name: "node", Ready: true}); err != nil {
		t.Error(err)
	}
	_, err = cp.WaitNode(ctx, "node", func(node *corev1.Node) error {
		if node == nil || !strings.HasPrefix(node.Spec.PodCIDR, "10.20.") {
			return errors.New("the node has no pod range")
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == corev1.TaintNodeNotReady {
				return errors.New("the ready node is still tainted")
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := cp.AuditEvents(AuditFilter{}); err == nil {
		t.Error("AuditEvents without an audit log: no error")
	}
	for range 2 {
		if err := cp.Stop(); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []*process.Process{cp.etcd.process, cp.apiServer, cp.controllerManager} {
		if p.Running() {
			t.Errorf("%s still runs", p.Name())
		}
	}
	if _, err := os.Stat(cp.AdminKubeconfig()); err != nil {
		t.Errorf("with KeepDir: %v", err)
	}
}

func TestEventuallyReturnsTheLastState(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	state := errors.New("2 of 3 are there")
	err := Eventually(ctx, func(context.Context) error { return state })
	if !errors.Is(err, state) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the last state and the deadline", err)
	}
}

func TestEventuallyKeepsTheStateBeforeTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	state := errors.New("still empty")
	calls := 0
	err := Eventually(ctx, func(ctx context.Context) error {
		if calls++; calls == 1 {
			return state
		}
		cancel() // as when the deadline comes during a request
		return ctx.Err()
	})
	if !errors.Is(err, state) {
		t.Errorf("got %v, want the state before the end", err)
	}
}
