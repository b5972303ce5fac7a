// Package static_test tests Nodes of machines that no API knows through the real thing: Nodes as kubelets register them on a real
// kube-apiserver, and the real binary with its own ServiceAccount. What it did, and what it left alone, is read in the audit log.
//
// CCM_BINARY names a binary to test in the place of one built with the race detector.
package static_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// startLimit bounds the start of the lab, which may have to build its programs.
const startLimit = 15 * time.Minute

// env is the cluster of all tests, which run one after the other.
var env *lab.Lab

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "e2e-static-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = begin(ctx, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "starting the lab:", err)
		return 1
	}
	defer env.Stop()
	return m.Run()
}

func begin(ctx context.Context, dir string) (err error) {
	binary := os.Getenv("CCM_BINARY")
	if binary == "" {
		if binary, err = ccm.Build(ctx, ccm.BuildOptions{Dir: dir, Providers: []string{"static"}, Race: true}); err != nil {
			return err
		}
	}
	cloud, err := testcloud.Open(ctx, "static", testcloud.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	env, err = lab.Start(ctx, lab.Options{
		Binary: binary, Cloud: cloud,
		ControlPlane: controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers, Audit: &controlplane.Audit{Bodies: []string{"nodes"}}},
	})
	return err
}
