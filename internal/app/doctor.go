package app

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// checkup bounds all checks together.
const checkup = 2 * time.Minute

// errUnwell is the error of a report with a failure, which has been printed.
var errUnwell = errors.New("something is wrong, see the failures above")

// examination are the flags of `doctor`.
type examination struct {
	view
	beforeUninstall bool
	format          *string
	warnings        doctor.Report
}

func newDoctorCommand() *cobra.Command {
	e := &examination{}
	cmd := newCommand(subcommand{
		use: "doctor", short: "Check cluster, cloud and controller manager, and say what to do",
		example: `  # All checks, with the rights and the credentials of the running pod.
  kubectl -n kube-system exec deployment/multicloud-ccm -- /cloud-controller-manager doctor --cloud-provider=digitalocean
  # Before the chart is uninstalled.
  cloud-controller-manager doctor --before-uninstall`,
		run: func(_ []string, out io.Writer) error { return e.run(out) },
	})
	fs := cmd.Flags()
	e.flags(fs)
	fs.BoolVar(&e.beforeUninstall, "before-uninstall", false, "Only check that no load balancer would be left behind.")
	e.format = outputFlag(cmd)
	return cmd
}

func (e *examination) run(out io.Writer) error {
	if err := checkOutput(*e.format); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkup)
	defer cancel()
	report, err := e.report(ctx)
	if err != nil {
		return err
	}
	if err := e.print(out, report); err != nil {
		return err
	}
	if report.Failed() {
		return errUnwell
	}
	return nil
}

func (e *examination) report(ctx context.Context) (doctor.Report, error) {
	var c *run.Cloud
	if !e.beforeUninstall { // which is no question to the cloud
		var err error
		if c, err = e.cloud(ctx, "", 0, e.warn); err != nil {
			return nil, err
		}
	}
	client, err := e.client()
	if err != nil {
		return nil, err
	}
	if e.beforeUninstall {
		return doctor.BeforeUninstall(ctx, client), nil
	}
	return append(e.warnings, doctor.Run(ctx, doctor.Options{Client: client, Cloud: c, LeaseNamespace: e.leaseNamespace, LeaseName: e.leaseName})...), nil
}

// warn takes a warning of the provider into the report.
func (e *examination) warn(message string) {
	e.warnings = append(e.warnings, doctor.Finding{Check: "configuration", Level: doctor.Warning, Message: message})
}

func (e *examination) print(out io.Writer, report doctor.Report) error {
	if *e.format == "json" {
		return writeJSON(out, report)
	}
	return report.Text(out)
}
