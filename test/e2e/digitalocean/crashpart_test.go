package digitalocean_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

// part is a part of TestCrash: lives in which every so many requests are the ones at which the CCM is killed.
type part struct {
	// Life is one of lives, Phase where the kills are.
	Life  string     `json:"life"`
	Phase halt.Phase `json:"phase"`
	// First is the request of the first life, and Step how many further the next one's is.
	First int `json:"first"`
	Step  int `json:"step"`
}

// parts are all of them. A replaced balancer stays for ten seconds, in each life.
var parts = []part{
	{"own", halt.Before, 1, 4},
	{"own", halt.Before, 2, 4},
	{"own", halt.Before, 3, 4},
	{"own", halt.Before, 4, 4},
	{"own", halt.After, 1, 1},
	{"adopted", halt.Before, 1, 1},
	{"adopted", halt.After, 1, 1},
}

func (p part) String() string {
	return fmt.Sprintf("%s, %s every %d. request from the %d. on", p.Life, p.Phase, p.Step, p.First)
}

const (
	// partEnv has the part that a process of this test binary is about, resultEnv the file for its result.
	partEnv, resultEnv = "E2E_CRASH_PART", "E2E_CRASH_RESULT"
	// partLimit bounds a part.
	partLimit = 20 * time.Minute
)

// ownPart is the part that this process is about, nil for none.
func ownPart(t *testing.T) *part {
	t.Helper()
	text, given := os.LookupEnv(partEnv)
	if !given {
		return nil
	}
	var p part
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s is %q: %v", partEnv, text, err)
	}
	return &p
}

// worker is another process of this test binary, with a cluster and a cloud of its own.
type worker struct {
	part
	cmd    *exec.Cmd
	result string
	out    bytes.Buffer
}

// startWorker starts the process of a part.
func startWorker(t *testing.T, p part) *worker {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plain, err := env.PlainBinary()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{part: p, result: filepath.Join(t.TempDir(), "kills.json")}
	ctx, cancel := context.WithTimeout(context.Background(), partLimit)
	t.Cleanup(cancel)
	w.cmd = exec.CommandContext(ctx, binary, "-test.run=^TestCrash$", "-test.v", "-test.timeout="+partLimit.String())
	w.cmd.Env = append(os.Environ(), partEnv+"="+string(text), resultEnv+"="+w.result, "CCM_BINARY="+env.Binary(), "CCM_PLAIN_BINARY="+plain)
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.out
	w.cmd.Cancel = func() error { return w.cmd.Process.Signal(syscall.SIGTERM) }
	w.cmd.WaitDelay = time.Minute
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

// end waits for the process and returns how often it interrupted each stage.
func (w *worker) end(t *testing.T) map[string]int {
	t.Helper()
	if err := w.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, w.out.String())
	}
	data, err := os.ReadFile(w.result)
	if err != nil {
		t.Fatalf("it left no result: %v\n%s", err, w.out.String())
	}
	kills := map[string]int{}
	if err := json.Unmarshal(data, &kills); err != nil {
		t.Fatal(err)
	}
	return kills
}

// report writes the result of this process.
func report(t *testing.T, kills map[string]int) {
	t.Helper()
	data, err := json.Marshal(kills)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv(resultEnv), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
