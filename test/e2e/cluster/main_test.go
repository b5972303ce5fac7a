// Package cluster_test tests the Helm chart and the image on a real cluster, whose nodes run
// pods: kubelets register nodes, helm installs the release, its pod initialises them, and a
// request goes through the balancer of a simulated cloud, a NodePort and kube-proxy to a pod.
//
// It needs Linux, root, some packages, a helm and images, so it only runs with E2E_NODE=1:
// `make e2e-node`. Where something is missing it says so, which is a failure with CI=true.
package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
)

// startLimit bounds the start of a cluster, which may have to build its programs.
const startLimit = 30 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(victim) != "" {
		os.Exit(beVictim())
	}
	if os.Getenv("E2E_NODE") == "" {
		fmt.Println("not run: the tests on nodes that run pods; `make e2e-node` does that, as root")
		return
	}
	if err := errors.Join(cluster.Missing(), plane.Missing()); err != nil {
		fmt.Fprintf(os.Stderr, "not run: the tests on nodes that run pods: %v\n", err)
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// start starts a cluster that ends with the test. What its programs said is shown when the
// test has failed.
func start(t *testing.T, o cluster.Options) *cluster.Cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	o.Progress = os.Stderr
	c, err := cluster.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("ends of the logs:\n%s", c.Tails())
		}
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}
