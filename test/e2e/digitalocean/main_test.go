// Package digitalocean_test tests the rules of DigitalOcean's load balancers through the real thing: a Service on a real
// kube-apiserver, the real binary with its own ServiceAccount, and a strict emulator of
// DigitalOcean's API.
//
// Tests that change what all Services share (the process, the answers of the cloud) run one
// after the other with a CCM of their own; all others run in parallel with one CCM. Nodes of
// the pool are there from the beginning, and Services use only them unless they say otherwise.
//
// CCM_BINARY names a binary to test in the place of one built with the race detector.
package digitalocean_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// env is the cluster and the cloud of all tests.
var env struct {
	*lab.Lab
	Cloud *testcloud.DigitalOcean
}

// startLimit bounds the start of the lab, which may have to build its programs.
const startLimit = 30 * time.Minute

func TestMain(m *testing.M) {
	flag.Parse()
	if !set("test.parallel") {
		// Tests wait for other processes most of the time.
		_ = flag.Set("test.parallel", "16") // a flag of every test binary
	}
	os.Exit(run(m))
}

// set reports whether a flag was given.
func set(name string) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

func run(m *testing.M) int {
	if err := begin(); err != nil {
		fmt.Fprintln(os.Stderr, "starting the lab:", err)
		return 1
	}
	defer env.Stop()
	code := m.Run()
	stopShared()
	if err := errors.Join(denied(), leftover()); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	return code
}

func begin() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if env.Cloud, err = testcloud.NewDigitalOcean(digitalocean.Options{ResizeOncePerHour: false}); err != nil {
		return err
	}
	env.Lab, err = lab.Start(ctx, lab.Options{
		Binary: os.Getenv("CCM_BINARY"), Cloud: env.Cloud,
		ControlPlane: controlplane.Options{
			Progress: os.Stderr, Controllers: controlplane.NoControllers, Audit: &controlplane.Audit{},
		},
	})
	if err != nil {
		return err
	}
	return furnish(ctx)
}

// denied returns an error when the CCM asked the API server for something it may not do: its
// permissions are those that are shipped.
func denied() error {
	events, err := env.AuditEvents(controlplane.AuditFilter{
		User: "system:serviceaccount:" + lab.Namespace + ":" + lab.ServiceAccount,
	})
	if err != nil {
		return err
	}
	var refused []string
	for _, e := range events {
		if e.Response.Code == http.StatusForbidden {
			refused = append(refused, e.Verb+" "+e.RequestURI)
		}
	}
	if len(events) == 0 && launches.n > 0 { // TestCrash alone starts none here
		return errors.New("the audit log has no request of the ccm")
	}
	if len(refused) > 0 {
		return fmt.Errorf("the ccm lacks permissions for %d requests: %s", len(refused), strings.Join(refused, ", "))
	}
	return nil
}

// leftover returns an error when a balancer of the tests is still in the cloud.
func leftover() error {
	var left []string
	for _, b := range env.Cloud.State().Balancers {
		left = append(left, b.Name)
	}
	if len(left) > 0 {
		return fmt.Errorf("balancers left in the cloud: %s", strings.Join(left, ", "))
	}
	return nil
}
