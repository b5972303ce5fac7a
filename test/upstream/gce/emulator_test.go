package upstream

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// emulator is a running gce-emulator, a process of the module beside this one.
type emulator struct {
	t   *testing.T
	url string
}

// startEmulator builds and starts the emulator. Links begin with its own address, as upstream
// compares them with the endpoint it is given.
func startEmulator(t *testing.T) emulator {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "gce-emulator")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./emulator/cmd/gce-emulator")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the emulator: %v\n%s", err, out)
	}
	const address = "127.0.0.1:18499"
	process := exec.CommandContext(t.Context(), binary, "-listen", address, "-instances", "3", "-delay", "100ms", "-link-base", "http://"+address+"/compute/v1/")
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Wait() }) // ended by the test's context
	url, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return emulator{t, strings.TrimSpace(url)}
}

func (e emulator) ask(method, path string, into any) []byte {
	e.t.Helper()
	request, err := http.NewRequestWithContext(e.t.Context(), method, e.url+"/_emulator/"+path, strings.NewReader("{}"))
	if err != nil {
		e.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		e.t.Fatalf("%s: %d %s %v", path, response.StatusCode, body, err)
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			e.t.Fatal(err)
		}
	}
	return body
}

// request is one of the emulator's log.
type request struct {
	Method, Path, Route, Body string
	Status                    int
}

// writes says whether a request changes something; waiting and some lists are POSTs.
func (r request) writes() bool {
	return r.Method != http.MethodGet && !strings.HasSuffix(r.Route, "/wait") && !strings.HasSuffix(r.Route, "/listInstances") && !strings.HasSuffix(r.Route, "/token")
}

// refused says whether the emulator did not take a request. That something does not exist is an answer.
func (r request) refused() bool { return r.Status >= 400 && r.Status != http.StatusNotFound }

func (e emulator) requests() []request {
	e.t.Helper()
	var all []request
	e.ask(http.MethodGet, "requests", &all)
	return all
}
