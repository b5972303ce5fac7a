package node_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/schema"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

var update = flag.Bool("update", false, "write the golden files")

// ran is what a sub-command answered.
type ran struct {
	code           int
	stdout, stderr string
}

// program runs sub-commands.
type program struct{ site *site }

// run runs a sub-command with the rights of the CCM.
func (p program) run(stdin string, args ...string) ran {
	p.site.t.Helper()
	return p.runAs(nil, stdin, args...)
}

// runAs is run with variables of its own.
func (p program) runAs(env map[string]string, stdin string, args ...string) ran {
	p.site.t.Helper()
	cmd := exec.CommandContext(p.site.within(patience), p.site.Binary(), args...)
	cmd.Args = append(append(cmd.Args, "--cloud-provider="+p.site.Provider(), "--kubeconfig="+p.site.Kubeconfig()), p.site.Cloud.Args()...)
	cmd.Env = append(p.site.Environment(env), "PATH="+os.Getenv("PATH"), "HOME="+p.site.Dir(), "COLUMNS=1000", ccm.NoRaceSleep)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errOut
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		p.site.t.Fatal(err)
	}
	if testcloud.Leaks(p.site.Cloud, out.String()+errOut.String()) {
		p.site.t.Error("the credentials are in the output")
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), ccm.WithoutRaceNote(errOut.String())}
}

// plan runs `plan` and returns what it answered.
func (p program) plan(args ...string) ran {
	p.site.t.Helper()
	return p.run("", append([]string{"plan", "--node-deletion-grace=1ms"}, args...)...)
}

// What is planned is what is done: one cluster with everything there is to do is planned, by
// command and in JSON, and then a CCM does it, after which there is nothing to do.
func TestPlan(t *testing.T) {
	s := openOwn(t, "annotations of its balancers")
	machines := s.pool(6)
	ccm := s.start()
	for _, name := range []string{"kept", "left", "changed"} {
		s.services.addWith(name, map[string]string{"service.beta.kubernetes.io/do-loadbalancer-type": "REGIONAL"})
		s.services.settled(name)
	}
	s.program.upToDate()
	s.must(ccm.Stop(s.within(patience)))
	s.Cloud.ResetTraffic()
	if quiet := s.program.plan(); quiet.code != 0 || !contains(quiet.stdout, "Plan: nothing to do; 9 looked at on digitalocean.") {
		t.Fatalf("a cluster in order: code %d\n%s%s", quiet.code, quiet.stdout, quiet.stderr)
	}

	s.disturb(machines)
	began := len(s.audit(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs()}))
	text, data := s.program.plan(), s.program.plan("-o", "json")
	if text.code != 2 || data.code != 2 {
		t.Errorf("codes %d and %d, want 2:\n%s", text.code, data.code, text.stderr+data.stderr)
	}
	s.golden("plan.txt", text.stdout)
	s.golden("plan.json", data.stdout)
	valid(t, data.stdout)
	if n := s.changes(); n != 0 {
		t.Errorf("%d writes to the cloud", n)
	}
	if after := len(s.audit(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs()})); after != began {
		t.Errorf("%d writes to the API server", after-began)
	}

	s.start()
	s.program.upToDate()
}

// upToDate waits until there is nothing to do.
func (p program) upToDate() {
	p.site.t.Helper()
	p.site.eventually(func() error {
		if now := p.plan(); now.code != 0 {
			return errors.New(now.stdout + now.stderr)
		}
		return nil
	})
}

// disturb makes something to do of every kind.
func (s *site) disturb(machines []testcloud.Machine) {
	s.t.Helper()
	ctx := s.within(patience)
	fresh := s.machines.seed(1)[0]
	for _, node := range []string{fresh.Name, "nobody"} {
		_, err := s.JoinNode(ctx, controlplane.NodeOptions{Name: node})
		s.must(err)
	}
	s.machines.stop(machines[0])
	s.machines.remove(machines[1])
	s.notReady(machines[:2]...)
	s.services.annotate("changed", "service.beta.kubernetes.io/do-loadbalancer-enable-proxy-protocol", "true")
	s.services.add("new")
	s.must(s.Client().CoreV1().Services("default").Delete(ctx, "left", metav1.DeleteOptions{}))
}

// A Service that is not applied yet is planned from its file, and so is a change of one that is.
func TestPlanOfAFile(t *testing.T) {
	s := openOwn(t, "annotations of its balancers")
	s.pool(2)
	ccm := s.start()
	s.services.add("web")
	s.services.settled("web")
	s.must(ccm.Stop(s.within(patience)))
	const file = `
apiVersion: v1
kind: Service
metadata: {name: %, annotations: {service.beta.kubernetes.io/do-loadbalancer-algorithm: least_connections}}
spec: {type: LoadBalancer, ports: [{name: http, port: 80}, {name: more, port: 8080}]}
`
	for name, want := range map[string][]string{
		"other": {"create balancer", "2 targets", "node ports, and a name made from its UID, are examples"},
		"web":   {"create listener tcp/8080", "Plan: 1 to create"},
	} {
		got := s.program.run(strings.ReplaceAll(file, "%", name), "plan", "service", "-f", "-")
		if got.code != 2 || !contains(got.stdout, want...) {
			t.Errorf("%s: code %d, want 2 and %q:\n%s%s", name, got.code, want, got.stdout, got.stderr)
		}
	}
	for file, want := range map[string]string{
		"kind: Service":                          "apiVersion v1",
		"apiVersion: v1\nkind: Service\nspek: 1": "spek",
	} {
		if got := s.program.run(file, "plan", "service", "-f", "-"); got.code != 64 || !contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: code %d, %q", file, got.code, got.stderr)
		}
	}
}

// What cannot be planned is code 1, whatever it is, and everything else is planned all the same.
func TestPlanWithTrouble(t *testing.T) {
	s := openOwn(t, "annotations of its balancers")
	s.pool(2)
	s.services.add("wrong")
	s.services.add("right")
	ctx, services := s.within(patience), s.Client().CoreV1().Services("default")
	svc, err := services.Get(ctx, "wrong", metav1.GetOptions{})
	s.must(err)
	svc.Annotations = map[string]string{"service.beta.kubernetes.io/do-loadbalancer-healthcheck-protocol": "smoke"}
	_, err = services.Update(ctx, svc, metav1.UpdateOptions{})
	s.must(err)
	if got := s.program.plan(); got.code != 1 || !contains(got.stdout, `"smoke" is not possible`, "Service default/right", "create balancer", "1 could not be planned") {
		t.Errorf("with an impossible Service: code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := s.program.plan("service", "default/right"); got.code != 2 || contains(got.stdout, "wrong") {
		t.Errorf("one Service: code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	for name, got := range map[string]ran{
		"no such Service":    s.program.plan("service", "default/none"),
		"another credential": s.program.runAs(map[string]string{"DO_ACCESS_TOKEN": "expired-secret"}, "", "plan"),
	} {
		if got.code != 1 {
			t.Errorf("%s: code %d, want 1:\n%s%s", name, got.code, got.stdout, got.stderr)
		}
	}
	if got := s.program.plan("--no-such-flag"); got.code != 64 {
		t.Errorf("an unknown flag: code %d, want 64:\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// Only what the controllers that run would do is planned, and a part that nobody looks at is no success.
func TestPlanOfControllers(t *testing.T) {
	s := openOwn(t, "what is said of routes and firewalls")
	machines := s.pool(3)
	s.machines.remove(machines[0])
	s.machines.stop(machines[1])
	s.notReady(machines[:2]...)
	fresh := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: fresh.Name})
	s.must(err)
	s.services.add("web")
	const taint, address, deletion, balancer = "cloudprovider.kubernetes.io/uninitialized", "status.addresses", "delete node", "create balancer"
	for controllers, want := range map[string][]string{
		"*":                                  {taint, address, shutdownTaint, deletion, balancer},
		"*,-service":                         {taint, address, shutdownTaint, deletion},
		"*,-cloud-node-lifecycle-controller": {taint, address, balancer},
		"*,-cloud-node":                      {shutdownTaint, deletion, balancer},
		"service-lb-controller":              {balancer},
	} {
		got := s.program.plan("--controllers=" + controllers)
		if got.code != 2 || !contains(got.stdout, want...) {
			t.Errorf("%s: code %d, want %q:\n%s%s", controllers, got.code, want, got.stdout, got.stderr)
		}
		for _, part := range []string{taint, shutdownTaint, deletion, balancer} {
			if !slices.Contains(want, part) && contains(got.stdout, part) {
				t.Errorf("%s: %q is planned:\n%s", controllers, part, got.stdout)
			}
		}
	}
	const mistaken = `"-servcie" is no controller`
	for want, args := range map[string][]string{
		"has no routes": {"routes"}, "asks for none": {"firewall"}, "runs no controller": {"nodes", "--controllers=service"},
		mistaken: {"--controllers=*,-servcie"},
	} {
		code := 1
		if want == mistaken {
			code = 64
		}
		if got := s.program.plan(args...); got.code != code || !contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: code %d, %q, want %q", args, got.code, got.stderr, want)
		}
	}
}

// volatile are the parts of the output that differ between runs.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`\ba[0-9a-f]{31}\b`), "<name>"},
	{regexp.MustCompile(`\b3[0-2][0-9]{3}\b`), "<node port>"},
	{regexp.MustCompile(`(InternalIP|ExternalIP) [0-9.]+`), "$1 <ip>"},
	{regexp.MustCompile(`node-[0-9]+|droplet-[0-9]+`), "<machine>"},
}

// golden compares an output with a file.
func (s *site) golden(name, got string) {
	s.t.Helper()
	for _, v := range volatile {
		got = v.pattern.ReplaceAllString(got, v.with)
	}
	path := filepath.Join("testdata", name)
	if *update {
		s.must(os.MkdirAll("testdata", 0o755))
		s.must(os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	s.must(err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		s.t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// valid fails the test unless the text is what the schema in the documentation says.
func valid(t *testing.T, text string) {
	t.Helper()
	if err := schema.Check("plan", text); err != nil {
		t.Error(err)
	}
	var report plan.Report
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&report); err != nil {
		t.Error(err)
	}
}
