package binary

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// run runs the binary without any environment and returns its exit code and output.
func run(t *testing.T, path string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runWith(t, nil, path, args...)
}

// runWith is run with variables of the environment.
func runWith(t *testing.T, env []string, path string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut strings.Builder
	cmd := exec.Command(path, args...)
	cmd.Env = append([]string{}, env...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out.String(), errOut.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String(), errOut.String()
}

func TestRefusalsAreOneLineAndExitWith64(t *testing.T) {
	all := strings.Join(registry.Names(), ", ")
	tests := []struct {
		name      string
		providers []string
		args      []string
		has       []string
	}{
		{"no provider chosen", nil, nil, []string{"--cloud-provider is not set", all}},
		{"unknown provider", nil, []string{"--cloud-provider=acme"}, []string{"acme is not a provider", all}},
		{"provider that ended", nil, []string{"--cloud-provider=packet"}, []string{"packet is not a provider here", "ended on 2026-06-30", "https://"}},
		{"provider with a controller of its own", nil, []string{"--cloud-provider=azure"}, []string{"azure is not a provider here", "kubernetes-sigs/cloud-provider-azure"}},
		{"another spelling", nil, []string{"--cloud-provider=amazon"}, []string{"--cloud-provider=amazon is not a provider: it is called aws here, use --cloud-provider=aws\n"}},
		{"a letter is missing", nil, []string{"--cloud-provider=hclou"}, []string{"hclou is not a provider, did you mean hcloud?", all}},
		{"the doctor of another spelling", nil, []string{"doctor", "--cloud-provider=hetzner"}, []string{"it is called hcloud here, use --cloud-provider=hcloud\n"}},
		{"the doctor of an unknown provider", nil, []string{"doctor", "node", "-o", "json", "--cloud-provider=acme"}, []string{"acme is not a provider", all}},
		{"the doctor of a provider left out", []string{"sim"}, []string{"doctor", "--cloud-provider=digitalocean"}, []string{"left out", "PROVIDERS=digitalocean"}},
		{"the bundle of another spelling", nil, []string{"doctor", "bundle", "--cloud-provider=hetzner", "-f", "/does/not/exist"}, []string{"it is called hcloud here"}},
		{"explain with another spelling", nil, []string{"explain", "node", "n", "--cloud-provider=hetzner"}, []string{"it is called hcloud here"}},
		{"an unknown command", nil, []string{"docter"}, []string{`"docter" is not a command, did you mean doctor?`}},
		{"help for an unknown command", nil, []string{"help", "docter"}, []string{`"docter" is not a command, did you mean doctor?`}},
		{"no such shell", nil, []string{"completion", "tcsh"}, []string{"bash, fish, powershell, zsh"}},
		{"provider left out", []string{"sim"}, []string{"--cloud-provider=digitalocean"}, []string{"left out", "compiled in: sim", "PROVIDERS=digitalocean"}},
		{"no node workers", nil, []string{"--cloud-provider=sim", "--concurrent-node-syncs=0"}, []string{"--concurrent-node-syncs=0", "at least 1"}},
		{"routes without cidr", nil, []string{"--cloud-provider=sim", "--configure-cloud-routes=true"}, []string{"--configure-cloud-routes", "--cluster-cidr"}},
		{"dry run that would write", nil, []string{"--cloud-provider=sim", "--dry-run", "--use-service-account-credentials"}, []string{"--use-service-account-credentials", "--dry-run"}},
		{"lease that ends before it is renewed", nil, []string{"--cloud-provider=sim", "--leader-elect-lease-duration=3s"}, []string{"--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=8s"}},
		{"several bad values", nil, []string{"--cloud-provider=sim", "--node-deletion-max=0", "--cloud-api-qps=-1"}, []string{"--node-deletion-max=0", "--cloud-api-qps=-1"}},
		{"a file nobody reads", nil, []string{"--cloud-provider=sim", "--cloud-config=/dev/null"}, []string{"--cloud-config=/dev/null", "reads no file"}},
		{"no file where one is needed", nil, []string{"--cloud-provider=openstack"}, []string{"--cloud-config is not set", "cloud.conf"}},
		{"a file that is not there", nil, []string{"--cloud-provider=openstack", "--cloud-config=/does/not/exist"}, []string{"--cloud-config", "/does/not/exist"}},
		{"missing credentials", []string{"digitalocean"}, nil, []string{"DO_ACCESS_TOKEN"}},
		{"unknown flag", nil, []string{"--cloud-provider=sim", "--no-such-flag"}, []string{"no-such-flag", "--help"}},
		{"nearly a flag", nil, []string{"--cloud-provder=sim"}, []string{"did you mean --cloud-provider?"}},
		{"nearly a flag of a command", nil, []string{"doctor", "--cloud-provder=sim"}, []string{"did you mean --cloud-provider?"}},
		{"a time apart from --wait", nil, []string{"doctor", "--wait", "5m"}, []string{"write --wait=5m"}},
		{"a time to wait that is over", nil, []string{"doctor", "--wait=-5m"}, []string{"--wait=-5m0s: want a time to wait"}},
		{"a format of others", nil, []string{"doctor", "-o", "yml"}, []string{"yml", "json, yaml or junit"}},
		{"bad flag value", nil, []string{"--node-deletion-max=abc"}, []string{"node-deletion-max", "abc"}},
		{"bad output format", nil, []string{"version", "--output=xml"}, []string{"xml", "json"}},
		{"stray argument", nil, []string{"version", "now"}, []string{"takes no arguments", "now"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := run(t, binary(t, tt.providers...), tt.args...)
			if code != 64 {
				t.Errorf("exit code %d, want 64", code)
			}
			if stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("want exactly one line on stderr, got %q and on stdout %q", stderr, stdout)
			}
			for _, want := range tt.has {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q does not say %q", stderr, want)
				}
			}
		})
	}
}

// TestBadSettings: all that is wrong with settings and needs no cloud to be told is one usage error, which names all of it, of the
// controller manager and of the commands that look at a cloud. There is no cloud here, and no kubeconfig: nothing is read before.
func TestBadSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("[Global]\nauth-url = x\nRegion = a/b\nNodeIPFamilies = ipv5\n[LoadBalancer]\ncreate-monitor = maybe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for provider, wrong := range map[string]struct {
		env  []string
		has  []string
		file bool
	}{
		"digitalocean": {env: []string{"REGION=FRA 1", "DO_CLUSTER_VPC_ID=x", "DO_API_RATE_LIMIT_QPS=fast"}, has: []string{"DO_ACCESS_TOKEN is not set", "REGION: ", "want the UUID of a VPC", "DO_API_RATE_LIMIT_QPS: "}},
		"hcloud":       {env: []string{"HCLOUD_LOAD_BALANCERS_ALGORITHM_TYPE=best", "ROBOT_USER=u", "HCLOUD_ENDPOINT=x"}, has: []string{"HCLOUD_TOKEN is not set", "ALGORITHM_TYPE: ", "ROBOT_PASSWORD", "HCLOUD_ENDPOINT: "}},
		"aws":          {env: []string{"AWS_ACCESS_KEY_ID=k", "AWS_CA_BUNDLE=/does/not/exist", "AWS_USE_FIPS_ENDPOINT=x"}, file: true, has: []string{"AWS_SECRET_ACCESS_KEY is not set: ", "AWS_CA_BUNDLE", "AWS_USE_FIPS_ENDPOINT: ", "NodeIPFamilies"}},
		"gce":          {env: []string{"GCE_CREDENTIALS_JSON={}", "GCE_NODE_PROJECTS=1", "GCE_METADATA_HOST=a b"}, has: []string{"credentials", "GCE_NODE_PROJECTS: ", "GCE_METADATA_HOST: "}},
		"openstack":    {env: []string{"OS_CCM_REGIONAL=x"}, file: true, has: []string{"OS_CCM_REGIONAL: ", "create-monitor"}},
		"sim":          {env: []string{"SIM_FORWARD=x", "SIM_STATIC=x", "SIM_MACHINES=a=b@mars"}, has: []string{"SIM_FORWARD: ", "SIM_STATIC: ", "SIM_MACHINES: "}},
		"static":       {env: []string{"STATIC_SCHEMES=aws,K3S", "STATIC_REGION=my home", "STATIC_ZONE=-"}, has: []string{"STATIC_SCHEMES: ", `"aws"`, `"K3S"`, "STATIC_REGION: ", "STATIC_ZONE: "}},
	} {
		for _, command := range [][]string{nil, {"plan"}, {"explain", "node", "n"}, {"adopt"}} {
			args := append(slices.Clone(command), "--cloud-provider="+provider)
			if wrong.file {
				args = append(args, "--cloud-config="+file)
			}
			if command != nil {
				args = append(args, "--kubeconfig=/does/not/exist")
			}
			code, stdout, stderr := runWith(t, wrong.env, binary(t), args...)
			if code != 64 || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%q: exit code %d, want 64 and one line, got %q and on stdout %q", args, code, stderr, stdout)
			}
			for _, want := range wrong.has {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q: %q does not say %q", args, stderr, want)
				}
			}
		}
	}
}

func TestProviders(t *testing.T) {
	code, stdout, stderr := run(t, binary(t), "providers", "-o", "json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var rows []struct {
		Name, Status, ProviderID string
		Credentials              []string
	}
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(registry.Names()) || rows[0].Name != "aws" || rows[1].ProviderID != "digitalocean://<droplet id>" {
		t.Errorf("got %+v", rows)
	}
	credentials := map[string][]string{}
	for _, row := range rows {
		credentials[row.Name] = row.Credentials
	}
	for provider, want := range map[string][]string{
		"digitalocean": {"DO_ACCESS_TOKEN", "DO_ACCESS_TOKEN_FILE"},
		"static":       {},
		"hcloud":       {"HCLOUD_TOKEN", "HCLOUD_TOKEN_FILE", "ROBOT_USER", "ROBOT_USER_FILE", "ROBOT_PASSWORD", "ROBOT_PASSWORD_FILE"},
		"openstack":    {"--cloud-config"},
		"aws":          {"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID_FILE", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY_FILE", "AWS_SESSION_TOKEN", "AWS_SESSION_TOKEN_FILE"},
	} {
		if got := credentials[provider]; !slices.Equal(got, want) {
			t.Errorf("credentials of %s: %q, want %q", provider, got, want)
		}
	}
	_, table, _ := run(t, binary(t), "providers")
	for _, want := range []string{"NAME", "PROVIDER-ID", "digitalocean", "loadbalancers", "DO_ACCESS_TOKEN[_FILE]", "HCLOUD_TOKEN[_FILE],ROBOT_USER[_FILE]", "--cloud-config", "NAME_FILE the path"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table does not show %q:\n%s", want, table)
		}
	}
}

func TestVersion(t *testing.T) {
	_, stdout, _ := run(t, binary(t, "sim"), "version", "-o", "json")
	var info struct {
		Version, GoVersion, Platform string
		Providers                    []string
	}
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	if info.Version == "" || info.GoVersion == "" || info.Platform == "" || len(info.Providers) != 1 || info.Providers[0] != "sim" {
		t.Errorf("got %+v", info)
	}
	_, flag, _ := run(t, binary(t, "sim"), "--version")
	_, command, _ := run(t, binary(t, "sim"), "version")
	if !strings.HasPrefix(flag, "multicloud-ccm "+info.Version+" (") || flag != command || strings.Count(flag, "\n") != 1 {
		t.Errorf("--version prints %q, version %q", flag, command)
	}
}

func TestHelpOfSubcommandsShowsOwnFlagsOnly(t *testing.T) {
	for _, command := range []string{"explain", "plan"} {
		if _, help, _ := run(t, binary(t), command, "--help"); strings.Contains(help, "--vmodule") || !strings.Contains(help, "Examples:") {
			t.Errorf("help of %s:\n%s", command, help)
		}
	}
	for _, command := range []string{"providers", "version"} {
		_, stdout, stderr := run(t, binary(t), command, "--help")
		help := stdout + stderr
		if !strings.Contains(help, "--output") {
			t.Errorf("help of %s lacks its flag:\n%s", command, help)
		}
		for _, foreign := range []string{"--cloud-provider", "--leader-elect", "--vmodule"} {
			if strings.Contains(help, foreign) {
				t.Errorf("help of %s shows %s", command, foreign)
			}
		}
	}
	_, root, _ := run(t, binary(t), "--help")
	own, needed, others := strings.Index(root, "\n      --dry-run"), strings.Index(root, "\n      --cloud-provider "), strings.Index(root, "\n      --leader-elect ")
	if own < 0 || own > needed || needed > others {
		t.Errorf("our own flags are at %d, --cloud-provider at %d, others at %d:\n%.3000s", own, needed, others, root)
	}
	for _, untrue := range []string{"Empty string for no provider", "instance prefix", "Only used when --allocate-node-cidrs"} {
		if strings.Contains(root, untrue) {
			t.Errorf("the help says %q, which is not so here", untrue)
		}
	}
	for _, want := range []string{"--cloud-provider", "--concurrent-service-syncs", "completion", "doctor", "explain", "plan", "providers", "version"} {
		if !strings.Contains(root, want) {
			t.Errorf("help of the binary lacks %s", want)
		}
	}
}

// Each shell has a script, and commands know what they can be followed by.
func TestCompletion(t *testing.T) {
	for shell, has := range map[string]string{"bash": "complete -o", "fish": "complete -c", "powershell": "Register-ArgumentCompleter", "zsh": "#compdef"} {
		if code, stdout, stderr := run(t, binary(t), "completion", shell); code != 0 || !strings.Contains(stdout, has) {
			t.Errorf("%s: code %d, %s", shell, code, stderr)
		}
	}
	if _, stdout, _ := run(t, binary(t), "__complete", "plan", ""); !strings.Contains(stdout, "firewall\n") || !strings.Contains(stdout, "service\n") {
		t.Errorf("after plan: %s", stdout)
	}
}
