package doctor_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Somebody mends the flags of the controller manager while the doctor waits: it looks at the new ones, and ends with 0.
func TestWaitUntilAllIsWell(t *testing.T) {
	w := newWorld(t)
	w.deployment("kube-system", "multicloud-ccm", "ghcr.io/multicloud-ccm/multicloud-ccm:v1", "--cloud-provider=digitalocean", "--leader-elect=true", "--cluster-id=lab", "--node-deletion-max=0")
	cmd := exec.CommandContext(w.ctx(), w.Binary(), "doctor", "--wait=90s", "--kubeconfig="+w.AdminKubeconfig())
	cmd.Env = append(os.Environ(), "DO_ACCESS_TOKEN="+token, "DO_OVERRIDE_URL="+w.Cloud.URL(), "REGION=nyc3", "COLUMNS=1000")
	var out bytes.Buffer
	cmd.Stdout = &out
	told, err := cmd.StderrPipe()
	w.must(err)
	w.must(cmd.Start())
	lines := bufio.NewScanner(told)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Waiting, for 1m30s at most: ") {
	}
	if says := lines.Text(); !strings.HasSuffix(says, ": settings-invalid") {
		t.Errorf("it waits for something else: %q", says)
	}
	w.deployment("kube-system", "multicloud-ccm", "ghcr.io/multicloud-ccm/multicloud-ccm:v1", "--cloud-provider=digitalocean", "--leader-elect=true", "--cluster-id=lab")
	for lines.Scan() {
		t.Errorf("it says again: %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), " 0 failures") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// What does not become well is told once, at the end of the time. What waits is not well, however short it has.
func TestWaitInVain(t *testing.T) {
	w := newWorld(t)
	w.join(controlplane.NodeOptions{Name: "nobody"})
	begin := time.Now()
	code, out, errOut := w.command(visit{}, "doctor", "node", "--wait=1s")
	if took := time.Since(begin); code != 1 || took < time.Second || !strings.HasSuffix(errOut, ", still after 1s\n") {
		t.Errorf("code %d after %s: %s", code, took, errOut)
	}
	if !strings.Contains(out, "1 Node not initialised\n") {
		t.Errorf("it is no failure that a Node waits: %s", out)
	}
	if got := w.doctor(visit{args: []string{"node", "--patience=1h"}})["node-not-initialised"]; got.Level != ok {
		t.Errorf("nobody waits for it: %s", got)
	}
}

// --context chooses among the clusters of a kubeconfig, in every command that asks one.
func TestContextOfTheKubeconfig(t *testing.T) {
	w := newWorld(t)
	config, err := clientcmd.LoadFromFile(w.AdminKubeconfig())
	w.must(err)
	config.Contexts["this"] = config.Contexts[config.CurrentContext]
	config.Clusters["away"] = &api.Cluster{Server: "https://127.0.0.1:1"}
	config.Contexts["away"] = &api.Context{Cluster: "away"}
	config.CurrentContext = "away"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	w.must(clientcmd.WriteToFile(*config, path))
	commands := w.watched()
	commands["doctor"] = []string{"doctor"}
	commands["release-brake"] = []string{"release-brake"}
	for name, args := range commands {
		provider := "digitalocean"
		if name == "release-brake" {
			provider = ""
		}
		v := visit{kubeconfig: path, provider: provider}
		if code, out, errOut := w.command(v, append(args, "--context=this")...); code != 0 {
			t.Errorf("%s: code %d: %s%s", name, code, out, errOut)
		}
		if code, out, errOut := w.command(v, args...); code != 1 || !strings.Contains(out+errOut, "127.0.0.1:1") {
			t.Errorf("%s of the current context: code %d: %s%s", name, code, out, errOut)
		}
		if code, out, errOut := w.command(v, append(args, "--context=that")...); !strings.Contains(out+errOut, "--context=that is not in the kubeconfig") {
			t.Errorf("%s of a context that is not there: code %d: %s%s", name, code, out, errOut)
		}
	}
}
