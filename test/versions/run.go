// Package versions runs the tests of the chart, of Nodes and of Services on the API server of each minor version of Kubernetes that the
// chart accepts, one after the other, and publishes how they ended. What differs from other runs of these tests is the API server alone.
package versions

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Outcome is how the tests of one area ended.
type Outcome struct {
	// Area is "chart", or the cloud of the tests of Nodes and Services.
	Area string `json:"area"`
	// Passed, Failed and Skipped count tests, without their parts.
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	Seconds int `json:"seconds"`
}

// Result is what ran on one Kubernetes.
type Result struct {
	Kubernetes string `json:"kubernetes"`
	ccm.Place
	Areas []Outcome `json:"areas"`
}

// Failed reports whether a test failed, or an area had none to run.
func (r Result) Failed() bool {
	return slices.ContainsFunc(r.Areas, func(o Outcome) bool { return o.Failed > 0 || o.Passed == 0 })
}

// Options say what is run.
type Options struct {
	// Root is the top of the repository.
	Root string
	// Minor is the version, such as 1.33.
	Minor string
	// Clouds are those whose tests of Nodes and Services run.
	Clouds []string
	// Progress receives the lines of the tests.
	Progress io.Writer
}

// Run runs the tests on one Kubernetes. The error says why they could not be run; tests that fail are in the result.
func Run(ctx context.Context, o Options) (Result, error) {
	version, err := controlplane.Version(filepath.Join(o.Root, "test", "controlplane", "minors", o.Minor))
	if err != nil {
		return Result{}, err
	}
	r := Result{Kubernetes: version, Place: ccm.Here()}
	// It builds the API server, whose time is not the chart's, and proves that it is the one that the row names.
	if reported, err := o.test(ctx, "sim", "-run", "TestReportsThePinnedVersion", "./controlplane"); err != nil {
		return r, err
	} else if reported.Failed > 0 || reported.Passed == 0 {
		return r, fmt.Errorf("running tests on %s: its API server does not report %s", o.Minor, version)
	}
	// Helm and the program run as they are published: what the race detector finds does not depend on the API server.
	chart, err := o.test(ctx, "chart", "-run", "Test(Install|ServerAccepts|ProgramRuns)$", "./chart")
	if err != nil {
		return r, err
	}
	r.Areas = append(r.Areas, chart)
	for _, cloud := range o.Clouds {
		area, err := o.test(ctx, cloud, "-p", "1", "-run", "Test(InitialiseEach|GoneMachine|Life|SecondEnsure)$", "./e2e/node", "./e2e/balancer")
		if err != nil {
			return r, err
		}
		r.Areas = append(r.Areas, area)
	}
	return r, nil
}

// test runs tests of an area, and counts them.
func (o Options) test(ctx context.Context, area string, args ...string) (Outcome, error) {
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-count=1", "-timeout", "30m"}, args...)...)
	cmd.Dir = filepath.Join(o.Root, "test")
	cmd.Env = append(os.Environ(), controlplane.KubernetesEnv+"="+o.Minor, "E2E_CLOUD="+area)
	cmd.Stderr = o.Progress
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("running tests of %s on %s: %w", area, o.Minor, err)
	}
	if err := cmd.Start(); err != nil {
		return Outcome{}, fmt.Errorf("running tests of %s on %s: %w", area, o.Minor, err)
	}
	result, err := count(out, o.Progress)
	// A failure that no test has, such as a package that does not compile, is one of the area.
	if ended := cmd.Wait(); ended != nil && result.Failed == 0 {
		result.Failed++
	}
	result.Area, result.Seconds = area, int(time.Since(began).Seconds())
	return result, err
}

// count reads what `go test -json` writes, and repeats what the tests say.
func count(out io.Reader, progress io.Writer) (o Outcome, err error) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			fmt.Fprintln(progress, lines.Text()) // such as a compiler's error
			continue
		}
		_, _ = io.WriteString(progress, event.Output)
		if event.Test == "" || strings.Contains(event.Test, "/") {
			continue
		}
		switch event.Action {
		case "pass":
			o.Passed++
		case "fail":
			o.Failed++
		case "skip":
			o.Skipped++
		}
	}
	if err := lines.Err(); err != nil {
		return o, fmt.Errorf("reading what tests write: %w", err)
	}
	return o, nil
}
