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

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// A spec that waits for something that does not come waits for 10 to 15 minutes. What is not slow takes two minutes, and twice that with
// three beside it.
const (
	fastLimit = 8 * time.Minute
	slowLimit = 30 * time.Minute
	// killAfter is what a process gets to write its report after its limit.
	killAfter = time.Minute
)

// suite is a program with specs, which knows itself which of Kubernetes' specs they are.
type suite struct {
	// module is the folder of the module that pins its Kubernetes, of that version.
	module, version string
	// program is the path of the program, and dir receives logs and reports.
	program, dir string
	// specs are those to run.
	specs []Spec
	// command makes a command that runs where clients are, and args are common to all specs.
	command func(ctx context.Context, args ...string) *exec.Cmd
	args    []string
}

// build compiles the program and asks it for its specs.
func (s *suite) build(ctx context.Context, o Options) (err error) {
	if s.version, err = controlplane.Version(s.module); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("making a folder for logs: %w", err)
	}
	if err := controlplane.BuildModule(ctx, s.module, "./suite", s.program, o.Progress); err != nil {
		return err
	}
	path := filepath.Join(s.dir, "list.json")
	if out, err := exec.CommandContext(ctx, s.program, "-ginkgo.dry-run", "-ginkgo.json-report="+path).CombinedOutput(); err != nil {
		return fmt.Errorf("listing specs: %w: %s", err, out)
	}
	r, err := readReport(path)
	s.specs = r.specs()
	return err
}

// run runs one spec. Where ctx ends before it has passed, it was interrupted.
func (s suite) run(ctx context.Context, spec Spec, number int) Result {
	result := s.runWhole(ctx, spec, number)
	if ctx.Err() != nil && result.Outcome != Passed {
		result.Outcome, result.Message = Interrupted, ""
	}
	return result
}

func (s suite) runWhole(ctx context.Context, spec Spec, number int) Result {
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
		"-spec=" + spec.Name, "-ginkgo.json-report=" + base + ".json", "-ginkgo.timeout=" + limit.String(), "-ginkgo.no-color", "-ginkgo.v",
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

// runParallel runs the specs that are not skipped on a cloud, in so many processes at a time. Each that ends is told of. When ctx ends, no
// other one begins.
func (s suite) runParallel(ctx context.Context, cloud string, processes int, tell func(*Result)) []Result {
	results := make([]Result, len(s.specs))
	free := make(chan struct{}, processes)
	var telling sync.Mutex
	var running sync.WaitGroup
	for i, spec := range s.specs {
		results[i] = Result{Spec: spec, Outcome: Interrupted, Message: "it was not begun"}
		free <- struct{}{}
		if ctx.Err() != nil {
			<-free
			continue
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
