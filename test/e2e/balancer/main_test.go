// Package balancer_test tests load balancers in the same way on every cloud that has them: Services on
// a real kube-apiserver, the real binary with its own ServiceAccount, and the test cloud that E2E_CLOUD
// names. What only one cloud has is tested in the package of that cloud.
//
// Tests run one after the other on one cluster, each with an empty cloud and a CCM of its own.
//
// CCM_BINARY names a binary to test in the place of one built with the race detector.
package balancer_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// startLimit bounds the start of the lab, which may have to build its programs.
const startLimit = 30 * time.Minute

// cloudName is the test cloud.
var cloudName = cmp.Or(os.Getenv("E2E_CLOUD"), "sim")

// env is the cluster and the cloud of all tests.
var env *lab.Lab

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	facts, err := testcloud.FactsOf(cloudName)
	if err != nil {
		fmt.Fprintln(os.Stderr, "E2E_CLOUD:", err)
		return 1
	}
	if why, lacks := facts.Lacks[testcloud.Balancers]; lacks {
		fmt.Fprintf(os.Stdout, "not run: the test cloud %s has no %s: %s\n", cloudName, testcloud.Balancers, why)
		return 0
	}
	if err := begin(); err != nil {
		fmt.Fprintln(os.Stderr, "starting the lab:", err)
		return 1
	}
	defer env.Stop()
	return m.Run()
}

func begin() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	cloud, err := testcloud.Open(ctx, cloudName, testcloud.Options{Progress: os.Stderr, Grouped: true})
	if err != nil {
		return err
	}
	env, err = lab.Start(ctx, lab.Options{
		Binary: os.Getenv("CCM_BINARY"), Cloud: cloud,
		ControlPlane: controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers},
	})
	return err
}
