package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
)

// The doctor asks the API server many small questions at once.
const doctorQPS, doctorBurst = 100, 200

// options prepares a run of the doctor. Nothing ends it: what is wrong here is what the checks are about.
func (e *examination) options(ctx context.Context, fs *pflag.FlagSet) doctor.Options {
	e.clock = doctor.NewClock()
	o := doctor.Options{
		BeforeUninstall: e.beforeUninstall, Clock: e.clock, Patience: e.patience,
		Lease: types.NamespacedName{Namespace: e.leaseNamespace, Name: e.leaseName},
	}
	o.Client, o.Server, o.ClientErr = e.connect()
	if e.beforeUninstall { // which is no question to the cloud
		return o
	}
	o.Manager.Workload, o.Manager.Known = e.learn(ctx, fs, o.Client)
	o.Lease = types.NamespacedName{Namespace: e.leaseNamespace, Name: e.leaseName}
	e.judge(fs, &o.Manager)
	e.seen = func(answer *http.Response) { e.clock.See(doctor.ClockOfCloud, answer) }
	var chosen choice
	var err error
	if o.Client != nil && e.lacksInventory() {
		e.inventory, err = inventoryOf(ctx, o.Client, o.Manager.Workload)
	}
	if err == nil {
		chosen, err = e.configured(e.clusterName)
	}
	if o.CloudErr = err; err == nil {
		o.Cloud, o.CloudErr = e.cloud(ctx, chosen, e.own.tuning.QPS, func(message string) { e.warnings = append(e.warnings, message) })
	}
	o.Warnings = e.warnings
	source := e.source()
	o.Source = func(err error) string { return about(source, err) }
	return o
}

// connect returns the client of the API server, and its address.
func (e *examination) connect() (kubernetes.Interface, string, error) {
	config, err := e.access()
	if err != nil {
		return nil, "", err
	}
	config.QPS, config.Burst = doctorQPS, doctorBurst
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return e.clock.Watch(doctor.ClockOfServer, next) })
	server := withoutUser(config.Host)
	client, err := kubernetes.NewForConfig(config)
	if err != nil && server != config.Host {
		err = fmt.Errorf("the address %s of the kubeconfig, with the user and the password in it, is not a URL: want a URL without them", server)
	}
	if err != nil {
		return nil, server, err
	}
	return client, server, nil
}

// withoutUser returns an address without the user and the password that may be in it.
func withoutUser(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "", address
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	if found {
		return scheme + "://" + rest
	}
	return rest
}

// learn takes the flags of the running controller manager: of process 1 in its container, of its
// workload elsewhere, where the doctor may read that.
func (e *examination) learn(ctx context.Context, fs *pflag.FlagSet, client kubernetes.Interface) (*doctor.Workload, bool) {
	var args []string
	var workload *doctor.Workload
	if e.inPod() {
		args = processArgs(os.Args[0], os.ReadFile)
	}
	if client != nil {
		if all, err := doctor.FindWorkloads(ctx, client); err == nil {
			workload = doctor.Choose(all, e.provider)
		}
	}
	if args == nil && workload != nil {
		args = elsewhereArgs(workload.Args)
	}
	if args == nil {
		return workload, false
	}
	if err := takeFlags(fs, args); err != nil {
		e.problems = append(e.problems, err.Error())
	}
	return workload, true
}

// processArgs returns the arguments of process 1, nil unless that is the controller manager.
func processArgs(self string, read func(path string) ([]byte, error)) []string {
	line, err := read("/proc/1/cmdline")
	if err != nil {
		return nil
	}
	args := splitNul(line)
	if len(args) < 2 || filepath.Base(args[0]) != filepath.Base(self) || !strings.HasPrefix(args[1], "-") {
		return nil
	}
	return args[1:]
}

// elsewhereArgs are the arguments of a workload without the paths of files in its container. A value
// may be an argument of its own.
func elsewhereArgs(args []string) []string {
	list := []string{}
	for n := 0; n < len(args); n++ {
		name, _, valued := strings.Cut(args[n], "=")
		switch {
		case name == "--cloud-config" || name == "--kubeconfig":
			if !valued {
				n++ // its value
			}
		case args[n] == "--" || strings.HasPrefix(name, "-") && !strings.HasPrefix(name, "--"):
		default:
			list = append(list, args[n])
		}
	}
	return list
}

// judge turns the flags into what the checks look at.
func (e *examination) judge(fs *pflag.FlagSet, m *doctor.Manager) {
	if err := e.own.problems(); err != nil {
		e.problems = append(e.problems, err.Error())
	}
	var cidrs []netip.Prefix
	if e.configureRoutes {
		var err error
		if cidrs, err = parseCIDRs(e.clusterCIDR); err != nil {
			e.problems = append(e.problems, err.Error())
		}
	}
	enabled, err := e.enabled()
	if err != nil {
		e.problems = append(e.problems, err.Error())
	}
	e.own.tuning.KeepNodes = !e.own.nodeDeletion
	m.Enabled, m.DryRun, m.NoElection = enabled, e.dryRun, !e.election && !e.dryRun
	m.RoutesAsked = e.configureRoutes && fs.Lookup("configure-cloud-routes").Changed
	m.ClusterCIDRs, m.Problems = cidrs, e.problems
	m.ClusterID, m.FormerClusterIDs = cmp.Or(e.own.clusterID, e.clusterName), e.own.formerIDs
	m.Tuning, m.Adoption = e.own.tuning, e.own.adoption
}
