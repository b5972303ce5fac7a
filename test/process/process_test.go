package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// parentDir, when set in the environment, turns the test program into the
// parent that TestChildrenDieWithTheParent kills.
const parentDir = "MCCM_TEST_PARENT_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentDir); dir != "" {
		runParent(dir)
		return
	}
	os.Exit(m.Run())
}

// runParent starts a child, prints its process ID and waits for its end.
func runParent(dir string) {
	child, err := Start(Spec{Dir: dir, Path: "/bin/sleep", Args: []string{"600"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(child.PID())
	<-child.Ended().Done()
}

func TestChildrenDieWithTheParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can do that")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentDir+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cmdline := "/proc/" + strings.TrimSpace(line) + "/cmdline"
	wait(t, "the child runs", func() bool { return runs(cmdline) })
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // says that it was killed
	wait(t, "the child ends", func() bool { return !runs(cmdline) })
}

// runs reports whether a process has a command line: it hasn't when it is a
// zombie that nobody has waited for.
func runs(cmdline string) bool {
	data, err := os.ReadFile(cmdline)
	return err == nil && len(data) > 0
}

func TestLogsAreAppendedToAndQuoted(t *testing.T) {
	dir := t.TempDir()
	for _, word := range []string{"first", "second"} {
		p, err := Start(Spec{Dir: dir, Name: "talker", Path: "/bin/sh", Args: []string{"-c", "echo " + word + "; exit 3"}})
		if err != nil {
			t.Fatal(err)
		}
		<-p.Ended().Done()
		if p.Running() {
			t.Error("it runs")
		}
		if cause := context.Cause(p.Ended()); cause == nil || !strings.Contains(cause.Error(), "talker ended: exit status 3") {
			t.Errorf("it ended with %v", cause)
		}
		if !strings.HasSuffix(p.Tail(), word) {
			t.Errorf("the end of the log is %q, want %q", p.Tail(), word)
		}
	}
	if log, err := os.ReadFile(dir + "/talker.log"); err != nil || string(log) != "first\nsecond\n" {
		t.Errorf("the log is %q, %v", log, err)
	}
}

func TestStopReachesWhatTheProgramStarted(t *testing.T) {
	p, err := Start(Spec{Dir: t.TempDir(), Path: "/bin/sh", Args: []string{"-c", "sleep 600 & echo $!; wait"}})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, "the program says what it started", func() bool { return p.Tail() != "" })
	p.Stop()
	wait(t, "the child ends", func() bool { return !runs("/proc/" + p.Tail() + "/cmdline") })
	p.Stop()
	p.Kill()
}

// wait fails the test when check isn't true within a minute.
func wait(t *testing.T, what string, check func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	for !check() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}
