package controlplane

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// parentDir, when set in the environment, turns the test program into the
// parent that TestChildrenDieWithTheParent kills.
const parentDir = "MCCM_TEST_PARENT_DIR"

// runParent starts a child, prints its process ID and waits for its end.
func runParent(dir string) {
	child, err := startProcess(dir, "/bin/sleep", "600")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(child.pid)
	<-child.ended.Done()
}

func TestChildrenDieWithTheParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can do that")
	}
	ctx := testContext(t)
	parent := exec.CommandContext(ctx, os.Args[0])
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
	err = Eventually(ctx, func(context.Context) error {
		if data, err := os.ReadFile(cmdline); err != nil || len(data) == 0 {
			return fmt.Errorf("the child does not run: %q, %w", data, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // says that it was killed
	err = Eventually(ctx, func(context.Context) error {
		// Of a zombie that nobody has waited for, the command line is empty.
		if data, err := os.ReadFile(cmdline); err == nil && len(data) > 0 {
			return fmt.Errorf("%s still has %q", cmdline, data)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
