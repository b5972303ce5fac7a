package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// progressPeriod is how often a running build says that it still runs.
const progressPeriod = 15 * time.Second

// goBuild compiles the main package pkg, as the module in dir pins it, for
// this machine, whatever the environment says about cross compiling.
func goBuild(ctx context.Context, dir, output, pkg, ldflags string) error {
	args := append([]string{"build"}, buildFlags...)
	args = append(args, "-ldflags="+ldflags, "-o", output, pkg)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"CGO_ENABLED=0", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	// Interrupted, go removes its temporary files; killed, it would not.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("the go command is not in PATH: %w", err)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return explainGoError(err, stderr.String())
	}
}

// explainGoError makes one line of what the go command said.
func explainGoError(err error, stderr string) error {
	var said string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "go: downloading ") || strings.HasPrefix(line, "# ") {
			continue
		}
		said = line
		break
	}
	if isProxyError(stderr) {
		return fmt.Errorf("cannot download Go modules; is the proxy of `go env GOPROXY` reachable? %s: %w", said, err)
	}
	return fmt.Errorf("%s: %w", said, err)
}

func isProxyError(stderr string) bool {
	for _, sign := range []string{`Get "http`, "dial tcp", "GOPROXY=off", "reading http", "unrecognized import path"} {
		if strings.Contains(stderr, sign) {
			return true
		}
	}
	return false
}

// reportProgress writes that what is being built, now and every
// progressPeriod, until the returned function is called.
func reportProgress(w io.Writer, what string) (stop func()) {
	fmt.Fprintf(w, "building %s\n", what)
	started := time.Now()
	ticker := time.NewTicker(progressPeriod)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticker.C:
				fmt.Fprintf(w, "building %s, %.0f s so far\n", what, time.Since(started).Seconds())
			case <-quit:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-done
	}
}
