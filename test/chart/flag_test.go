package chart_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/internal/app"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
)

// Every flag that is rendered is one of the program, there once, neither hidden nor
// deprecated, and its value parses.
func TestFlagsAreTheProgram(t *testing.T) {
	for name, values := range variations() {
		t.Run(name, func(t *testing.T) {
			args := mustRender(t, release{values: values}).args(t)
			flags, err := app.Flags()
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]string{}
			for _, arg := range args {
				flagName, value, isFlag := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
				flag := flags.Lookup(flagName)
				switch {
				case !isFlag || flag == nil:
					t.Errorf("%s: the program has no such flag", arg)
				case flag.Hidden || flag.Deprecated != "":
					t.Errorf("%s is hidden or deprecated: %s", arg, flag.Deprecated)
				}
				if _, twice := seen[flagName]; twice && flagName != "feature-gates" { // the test repeats it
					t.Errorf("%s is there twice", arg)
				}
				seen[flagName] = value
			}
			if err := flags.Parse(args); err != nil {
				t.Error(err)
			}
			for _, must := range []string{"cluster-name", "configure-cloud-routes", "leader-elect", "webhook-secure-port", "controllers", "cloud-provider"} {
				if _, there := seen[must]; !there {
					t.Errorf("--%s is not rendered", must)
				}
			}
			for controller := range strings.SplitSeq(seen["controllers"], ",") {
				if _, known := framework.Controllers()[controller]; !known {
					t.Errorf("controller %q is not one of the program", controller)
				}
			}
		})
	}
}

// What is a flag's default is not rendered, so that a manifest shows what was chosen; what
// was chosen is.
func TestValuesReachTheirFlags(t *testing.T) {
	args := mustRender(t, release{values: []string{minimal("sim"), everything, settings["sim"]}}).args(t)
	for _, want := range []string{
		"--cluster-id=c-1", "--concurrent-node-syncs=7", "--concurrent-node-lifecycle-syncs=3", "--node-monitor-period=7s",
		"--concurrent-service-syncs=2", "--service-resync-period=1h", "--node-burst-window=3s", "--configure-cloud-routes=true",
		"--cluster-cidr=10.128.0.0/10", "--route-reconciliation-period=30s", "--node-deletion=false", "--node-deletion-grace=5m",
		"--node-deletion-confirm-gap=20s", "--node-deletion-max=3", "--node-deletion-fraction=0.25", "--node-deletion-window=1h", "--node-deletion-mass-wait=2h",
		"--cloud-api-qps=1.5", "--leader-elect-resource-name=my-lease", "--leader-elect-lease-duration=30s",
		"--leader-elect-renew-deadline=20s", "--leader-elect-retry-period=2s", "--v=4", "--logging-format=json", "--secure-port=10300",
		"--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics", "--leader-elect=true",
		"--kube-api-burst=1000000", "--feature-gates=AllAlpha=false", "--feature-gates=AllBeta=true",
	} {
		if !slices.Contains(args, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--kube-api-qps") }) {
		t.Error("null does not drop a flag of extraArgs")
	}
	want := []string{
		"--cloud-provider=sim", "--controllers=cloud-node-controller,cloud-node-lifecycle-controller,service-lb-controller",
		"--configure-cloud-routes=false", "--leader-elect=true", "--webhook-secure-port=0", "--cluster-name=my-cluster", "--v=2",
	}
	if got := mustRender(t, release{values: []string{minimal("sim")}}).args(t); !slices.Equal(got, want) {
		t.Errorf("minimal values render %q, want %q", got, want)
	}
}

// A dry run must not take the lease of the program that does the work.
func TestDryRunTakesNoLease(t *testing.T) {
	args := mustRender(t, release{values: []string{minimal("sim"), "safety: {mode: dry-run}"}}).args(t)
	if !slices.Contains(args, "--dry-run=true") || !slices.Contains(args, "--leader-elect=false") || slices.Contains(args, "--leader-elect=true") {
		t.Errorf("%q", args)
	}
}

// A list of denied ports that is empty denies none, while one that is left out is the default.
func TestNoDeniedPorts(t *testing.T) {
	for value, want := range map[string]bool{`""`: true, "null": false} {
		args := mustRender(t, release{values: []string{minimal("sim"), "controllers: {firewall: {deniedPorts: " + value + "}}"}}).args(t)
		if got := slices.Contains(args, "--firewall-denied-ports="); got != want {
			t.Errorf("%s: rendered %t, want %t: %q", value, got, want, args)
		}
	}
}
