package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// checkup bounds all checks together.
const checkup = 2 * time.Minute

// reportFormats are the formats of a report for programs.
var reportFormats = []string{"json", "yaml", "junit"}

// errUnwell is the error of a report with a failure, which has been printed.
var errUnwell = errors.New("something is wrong, see the failures above")

// examination are the flags of `doctor`.
type examination struct {
	perspective
	paging
	beforeUninstall    bool
	patience, wait     time.Duration
	dryRun, election   bool
	format             string
	warnings, problems []string
	clock              *doctor.Clock
}

const doctorLong = `It reads the cluster and the cloud and makes every check of docs/reference/doctor.md, those of one scope where one
is named: install, node or service. Each ends in ok, warning or failure, with cause, evidence and what to do; a check that could
not be made is skipped and says why. A failure that keeps checks from being made is part of every report. It changes nothing, takes no lease and needs no other rights than the controller manager;
with an administrator's kubeconfig it sees Pods, events, leases and webhooks too. The flags of the running controller manager
count: in its Pod those of its process, elsewhere those of its Deployment or DaemonSet. Failures come first, then warnings; a check
that is ok says what is right. Lines are as long as the terminal is wide, or as COLUMNS says.`

func newDoctorCommand() *cobra.Command {
	e := &examination{}
	cmd := newCommand(subcommand{
		use: "doctor [install | node | service]", short: "Check cluster, cloud and controller manager, and say what to do", long: doctorLong,
		example: `  # All checks, with the rights and the credentials of the running pod.
  kubectl -n kube-system exec deployment/multicloud-ccm -- /cloud-controller-manager doctor
  # From a laptop: more is seen with an administrator's rights.
  DO_ACCESS_TOKEN=… cloud-controller-manager doctor --cloud-provider=digitalocean
  # Only what is wrong.
  cloud-controller-manager doctor --cloud-provider=digitalocean --problems-only
  # Only about Nodes; for a pipeline.
  cloud-controller-manager doctor node -o junit > doctor.xml
  # After an installation: ends as soon as there is no failure, and fails after five minutes.
  cloud-controller-manager doctor --wait=5m --cloud-provider=digitalocean
  # Before the chart is uninstalled.
  cloud-controller-manager doctor --before-uninstall`,
		args: checkScope,
	})
	completeSubject(cmd, subjectArgs, string(doctor.Install), string(doctor.Nodes), string(doctor.Services))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return e.run(cmd, args, cmd.OutOrStdout()) }
	e.flags(cmd.Flags())
	cmd.AddCommand(newBundleCommand())
	return cmd
}

// flags adds those of `doctor`.
func (e *examination) flags(fs *pflag.FlagSet) {
	e.declare(fs)
	e.paging.flags(fs)
	fs.DurationVar(&e.wait, "wait", 0, "Make the checks again until there is no failure, for at most this time: --wait is "+defaultWait+", --wait=5m another. What waits counts as a failure at once, unless --patience is given.")
	fs.Lookup("wait").NoOptDefVal = defaultWait
}

// declare adds the flags that every command of the doctor has.
func (e *examination) declare(fs *pflag.FlagSet) {
	e.perspective.flags(fs)
	fs.BoolVar(&e.beforeUninstall, "before-uninstall", false, "Only check that no load balancer would be left behind.")
	fs.DurationVar(&e.patience, "patience", doctor.DefaultPatience, "How long a Pod, a Node or a Service may wait before that counts as a failure.")
	fs.StringVarP(&e.format, "output", "o", "", `Output format: "json", "yaml", "junit", or lines for people when empty.`)
	// What is taken from the running controller manager and given by nobody.
	fs.BoolVar(&e.dryRun, "dry-run", false, "")
	fs.BoolVar(&e.election, "leader-elect", true, "")
	fs.DurationVar(&e.own.tuning.Reensure, "service-resync-period", e.own.tuning.Reensure, "")
	for _, name := range []string{"dry-run", "leader-elect", "service-resync-period"} {
		fs.Lookup(name).Hidden = true
	}
}

func checkScope(args []string) error {
	scopes := []doctor.Scope{doctor.Install, doctor.Nodes, doctor.Services}
	if args = subjectArgs(args); len(args) > 1 || len(args) == 1 && !slices.Contains(scopes, doctor.Scope(args[0])) {
		if _, err := time.ParseDuration(args[0]); err == nil { // --wait 5m
			return usagef("doctor %[1]s: write --wait=%[1]s, with nothing between", args[0])
		}
		return usagef("doctor %s: want install, node or service, nothing for all of them, or the command bundle%s", strings.Join(args, " "),
			kindMeant(args, string(doctor.Install), string(doctor.Nodes), string(doctor.Services), "bundle"))
	}
	return nil
}

func (e *examination) run(cmd *cobra.Command, args []string, out io.Writer) error {
	if e.format != "" && !slices.Contains(reportFormats, e.format) {
		return usagef("--output=%s is not a format: use json, yaml or junit, or leave it out for lines for people", e.format)
	}
	if e.wait < 0 {
		return usagef("--wait=%s: want a time to wait, such as 5m", e.wait)
	}
	if err := cmp.Or(e.check(e.format), givenProvider(cmd.Flags(), registry.Names())); err != nil {
		return err
	}
	if _, err := e.enabled(); err != nil { // as given: those of the running controller manager come later
		return err
	}
	answered := waiting(cmd.ErrOrStderr(), "the API server and the API of the cloud")
	report, err := look(cmd, args)
	answered()
	if err == nil && e.wait > 0 {
		report, err = e.waited(cmd, args, report)
	}
	if err != nil {
		return err
	}
	if err := e.print(out, report); err != nil {
		return err
	}
	switch {
	case report.Failed() && e.wait > 0:
		return fmt.Errorf("%w, still after %s", errUnwell, e.wait)
	case report.Failed():
		return errUnwell
	}
	return nil
}

// asGiven reads the flags of a command once more, which has read them without a mistake.
func asGiven(cmd *cobra.Command, args []string) (*examination, *pflag.FlagSet, error) {
	e, fs := &examination{}, pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	fs.SetNormalizeFunc(cmd.Flags().GetNormalizeFunc())
	e.flags(fs)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // such as -v, which all commands have
		if fs.Lookup(f.Name) == nil {
			fs.AddFlag(f)
		}
	})
	if err := fs.Parse(args); err != nil {
		return nil, nil, fmt.Errorf("reading the flags once more: %w", err)
	}
	return e, fs, nil
}

// look makes the checks once, with the flags that the command was given. They stay as they are: a look takes others from the
// running controller manager, which may be another one at the next look.
func look(cmd *cobra.Command, args []string) (doctor.Report, error) {
	e, fs, err := asGiven(cmd, os.Args[1:])
	if err != nil {
		return nil, err
	}
	if e.wait > 0 && !fs.Changed("patience") {
		e.patience = time.Nanosecond
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), checkup)
	defer cancel()
	o := e.options(ctx, fs)
	for _, scope := range subjectArgs(args) {
		o.Scopes = append(o.Scopes, doctor.Scope(scope))
	}
	return doctor.Run(ctx, o), nil
}

func (e *examination) print(out io.Writer, report doctor.Report) error {
	switch e.format {
	case "":
		return report.Text(out, e.page(out))
	case "junit":
		return report.JUnit(out)
	}
	return writeValue(out, e.format, report.Document())
}
