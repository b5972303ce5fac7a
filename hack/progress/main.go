// Progress runs `go test -json`, and prints one line for each package as soon as it has ended, with how
// many there are and how long it took. The go command alone prints packages in their order, so that a
// slow one at the beginning hides all others. What failed is printed whole.
//
//	progress -of COUNT -- go test -json FLAG… PACKAGE…
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// period is how often is said what still runs.
const period = time.Minute

func main() {
	of := flag.Int("of", 0, "how many packages there are")
	all := flag.Bool("v", false, "print what all tests say, not only those that fail")
	flag.Parse()
	os.Exit(run(flag.Args(), newReport(os.Stdout, *of, *all)))
}

// run runs a command and reports on what it prints. The exit code is the command's.
func run(command []string, r *report) int {
	if len(command) == 0 {
		fmt.Fprintln(r.out, "progress: no command")
		return 2
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(r.out, "progress:", err)
		return 1
	}
	stop := r.every(period)
	err = r.read(stdout)
	stop()
	if err != nil {
		fmt.Fprintln(r.out, "progress:", err)
		_, _ = io.Copy(io.Discard, stdout) // so that the command can end
	}
	if failed := cmd.Wait(); failed != nil || err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}
