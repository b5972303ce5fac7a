package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

const bundleLong = `It makes all checks of the doctor and writes one archive (tar.gz) with the report and with what it is about: Nodes,
Services of type LoadBalancer, the Pods and workloads of controller managers, leases, warnings, the ends of their logs, and
the versions. Its logs/README.txt says which logs are missing, and why. No Secret and no ConfigMap is read. Values of environment
variables, and of flags and annotations that are not known, are hidden, and so is whatever looks like a secret, wherever it
stands. Read it before you attach it to an issue: names and addresses of Nodes and Services are in it.`

func newBundleCommand() *cobra.Command {
	e := &examination{}
	var path string
	cmd := newCommand(subcommand{
		use: "bundle", path: "doctor bundle", short: "Write an archive for a maintainer, in which secrets are hidden", long: bundleLong,
		example: `  cloud-controller-manager doctor bundle --cloud-provider=digitalocean -f ccm.tar.gz
  # From the pod.
  kubectl -n kube-system exec deployment/multicloud-ccm -- /cloud-controller-manager doctor bundle -f - > ccm.tar.gz`,
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return e.bundle(cmd, path) }
	e.declare(cmd.Flags())
	for _, name := range []string{"before-uninstall", "output"} {
		cmd.Flags().Lookup(name).Hidden = true
	}
	cmd.Flags().StringVarP(&path, "filename", "f", "doctor.tar.gz", "Path of the archive; - writes it to the standard output.")
	return cmd
}

func (e *examination) bundle(cmd *cobra.Command, path string) (err error) {
	if err := givenProvider(cmd.Flags(), registry.Names()); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if path != "-" {
		file, problem := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if problem != nil {
			return usagef("--filename=%s: %v", path, problem)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		if problem := keepPrivate(file); problem != nil {
			return fmt.Errorf("--filename=%s: %w", path, problem)
		}
		out = file
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), checkup)
	defer cancel()
	o := e.options(ctx, cmd.Flags())
	flags, err := Flags()
	if err != nil {
		return err
	}
	report, err := doctor.Bundle(cmd.Context(), o, doctor.BundleOptions{
		Files:    map[string]any{"version.json": currentVersion(), "providers.json": registry.Names()},
		Secrets:  e.secrets(),
		Checkup:  checkup,
		Harmless: func(name string) bool { return flags.Lookup(name) != nil },
	}, out)
	if err != nil {
		return fmt.Errorf("writing the archive: %w", err)
	}
	if path != "-" {
		fmt.Fprintf(cmd.OutOrStdout(), "%s has %d checks, %d of them failures; read it before you give it away\n", path, len(report), report.Document().Summary[doctor.Failure])
	}
	return nil
}

// keepPrivate lets nobody else read a file, also one that was there before. A device or a pipe stays as
// it is.
func keepPrivate(file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return file.Chmod(0o600)
}
