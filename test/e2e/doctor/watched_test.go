package doctor_test

import (
	"net"
	"strings"
	"testing"
	"time"
)

// watched are the commands that read the cloud for somebody who watches.
func (w *world) watched() map[string][]string {
	return map[string][]string{
		"plan":            {"plan", "--cluster-id=lab"},
		"plan service":    {"plan", "service", "default/web", "--cluster-id=lab"},
		"explain service": {"explain", "service", "default/web", "--cluster-id=lab"},
		"explain node":    {"explain", "node", w.droplets[0].Name, "--cluster-id=lab"},
		"adopt":           {"adopt", "--from=digitalocean", "--cluster-id=lab"},
	}
}

// A cloud that does not answer, or refuses the token, is told once and soon, with the setting that it is about.
func TestCloudWithoutAnAnswer(t *testing.T) {
	w := newWorld(t)
	for name, tt := range map[string]struct {
		env          string
		says         []string
		check, about string
	}{
		"connections are refused": {"DO_OVERRIDE_URL=http://127.0.0.1:1", []string{"does not answer at the address of DO_OVERRIDE_URL", "connection refused"},
			"cloud-unreachable", "the address is that of DO_OVERRIDE_URL"},
		"the token is refused": {"DO_ACCESS_TOKEN=expired", []string{"refuses the credentials of DO_ACCESS_TOKEN", "401"},
			"credentials-refused", "the credentials are those of DO_ACCESS_TOKEN"},
	} {
		v := visit{provider: "digitalocean", env: []string{tt.env}}
		for command, args := range w.watched() {
			if tt.check == "credentials-refused" && strings.HasPrefix(command, "explain") {
				continue // it says what is known without the cloud: TestExplainService of e2e/node
			}
			t.Run(name+"/"+command, func(t *testing.T) {
				start := time.Now()
				code, out, errOut := w.command(v, args...)
				if took := time.Since(start); code != 1 || out != "" || strings.Count(errOut, "\n") != 1 || took > 15*time.Second {
					t.Errorf("code %d after %s:\n%s%s", code, took, out, errOut)
				}
				for _, want := range tt.says {
					if !strings.Contains(errOut, want) {
						t.Errorf("%q does not say %q", errOut, want)
					}
				}
			})
		}
		t.Run(name+"/doctor", func(t *testing.T) {
			start := time.Now()
			got := w.doctor(v)[tt.check]
			if took := time.Since(start); got.Level != failure || !strings.Contains(strings.Join(got.Evidence, "\n"), tt.about) || took > 15*time.Second {
				t.Errorf("after %s: %s", took, got)
			}
		})
	}
}

// Where connections are taken and nothing is answered a command says what it waits for, and ends.
func TestCloudThatIsSilent(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	t.Cleanup(func() { _ = l.Close() })
	v := visit{provider: "digitalocean", env: []string{"DO_OVERRIDE_URL=http://" + l.Addr().String()}}
	for command, args := range map[string][]string{"plan": {"plan", "--cluster-id=lab"}, "doctor": {"doctor"}} {
		start := time.Now()
		code, _, errOut := w.command(v, args...)
		if took := time.Since(start); code != 1 || took > 45*time.Second || !strings.HasPrefix(errOut, "Waiting for the ") {
			t.Errorf("%s: code %d after %s: %s", command, code, took, errOut)
		}
		if command == "plan" && !strings.Contains(errOut, "does not answer at the address of DO_OVERRIDE_URL") {
			t.Errorf("%s: %s", command, errOut)
		}
	}
}
