package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Version returns the version of Kubernetes that the module in dir pins.
func Version(dir string) (string, error) {
	return program{name: "Kubernetes", versionPin: "k8s.io/kubernetes"}.version(dir)
}

// BuildModule compiles the main package pkg into output, as the module in dir pins it and its Kubernetes. The flags
// are those of the control plane's programs of that version, so what these are made of is not compiled again.
// progress receives a line now and then.
func BuildModule(ctx context.Context, dir, pkg, output string, progress io.Writer) error {
	p := program{name: filepath.Base(output), pkg: pkg}
	version, err := Version(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	started := time.Now()
	stop := reportProgress(progress, p.name+" of Kubernetes "+version)
	err = goBuild(ctx, dir, output, pkg, ldflags(version))
	stop()
	if err != nil {
		return fmt.Errorf("build %s of Kubernetes %s: %w", p.name, version, err)
	}
	fmt.Fprintf(progress, "built %s in %.0f s\n", p.name, time.Since(started).Seconds())
	return nil
}
