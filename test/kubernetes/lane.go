package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// A spec that waits for something that does not come waits for 10 to 15 minutes. What is not slow takes two minutes, and twice that with
// three beside it.
const (
	fastLimit = 8 * time.Minute
	slowLimit = 30 * time.Minute
	// killAfter is what a process gets to write its report after its limit.
	killAfter = time.Minute
)

// suite is a built program with specs, and where it runs.
type suite struct {
	// program is its path, filter the label filter that selects its specs, provider the name under which it has the cloud.
	program, filter, provider string
	// command makes a command that runs where clients are.
	command func(ctx context.Context, args ...string) *exec.Cmd
	// module is the folder of the module that pins its Kubernetes, of that version.
	module, version string
	// args are common to all specs. dir receives logs and reports.
	args []string
	dir  string
}

// list returns the specs of the suite. It needs no cluster.
func (s suite) list(ctx context.Context) ([]Spec, error) {
	path := filepath.Join(s.dir, filepath.Base(s.program)+"-list.json")
	cmd := exec.CommandContext(ctx, s.program, "-provider="+s.provider, "-ginkgo.dry-run", "-ginkgo.label-filter="+s.filter, "-ginkgo.json-report="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("listing specs: %w: %s", err, out)
	}
	r, err := readReport(path)
	if err != nil {
		return nil, err
	}
	return r.specs(), nil
}

// run runs one spec.
func (s suite) run(ctx context.Context, spec Spec, number int) Result {
	limit := fastLimit
	if spec.Slow {
		limit = slowLimit
	}
	began := time.Now()
	base := filepath.Join(s.dir, fmt.Sprintf("spec-%02d", number))
	_ = os.Remove(base + ".json") // of an earlier run
	err := s.process(ctx, spec, base, limit)
	result := Result{Spec: spec, Outcome: Failed, Took: time.Since(began)}
	r, problem := readReport(base + ".json")
	if problem != nil {
		result.Message = errors.Join(err, problem).Error()
		return result
	}
	result.Outcome, result.Message, problem = r.outcome(spec.Name)
	if result.Outcome == Skipped {
		result.Outcome, result.Message = Failed, "it skipped itself, and is not in the list of skips: "+result.Message
	}
	if problem = errors.Join(problem, exit(err, result.Outcome)); problem != nil {
		result.Outcome, result.Message = Failed, result.Message+"\n"+problem.Error()
	}
	return result
}

// exit returns an error where the process says otherwise than its report.
func exit(err error, outcome Outcome) error {
	if err != nil && outcome != Failed {
		return fmt.Errorf("the report says %s, but the process ended with: %w", outcome, err)
	}
	return nil
}

func (s suite) process(ctx context.Context, spec Spec, base string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit+killAfter)
	defer cancel()
	log, err := os.Create(base + ".log")
	if err != nil {
		return fmt.Errorf("making the log of a spec: %w", err)
	}
	defer log.Close()
	args := append([]string{s.program,
		"-ginkgo.label-filter=" + s.filter, "-spec=" + spec.Name, "-provider=" + s.provider, "-ginkgo.json-report=" + base + ".json",
		"-ginkgo.timeout=" + limit.String(), "-ginkgo.no-color", "-ginkgo.v",
	}, s.args...)
	runtime.LockOSThread() // the process ends with the thread
	defer runtime.UnlockOSThread()
	cmd := s.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running a spec, see %s: %w", log.Name(), err)
	}
	return nil
}

// inLanes runs the specs that are not skipped on a cloud, so many at a time. Each that ends is told of. When ctx ends, no other one begins.
func inLanes(ctx context.Context, s suite, cloud string, specs []Spec, lanes int, tell func(*Result)) []Result {
	results := make([]Result, len(specs))
	free := make(chan struct{}, lanes)
	var telling sync.Mutex
	var running sync.WaitGroup
	for i, spec := range specs {
		results[i] = Result{Spec: spec, Outcome: Failed, Message: "it was not run"}
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		running.Go(func() {
			defer func() { <-free }()
			if reason := skipped(cloud, spec); reason != "" {
				results[i].Outcome, results[i].Message = Skipped, reason
			} else {
				results[i] = s.run(ctx, spec, i)
			}
			telling.Lock()
			defer telling.Unlock()
			tell(&results[i])
		})
	}
	running.Wait()
	return results
}
