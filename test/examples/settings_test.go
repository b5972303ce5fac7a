package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A copy of a file of Terraform works with the folder of the clone, and says what it lacks without.
func TestTerraformCopied(t *testing.T) {
	clone, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for file := range providers {
		content := read(t, folder, file)
		if filepath.Ext(file) != ".tf" || !strings.Contains(string(content), "file(") {
			continue
		}
		copied++
		if _, err := evaluate(t.TempDir(), content, map[string]string{"clone": clone}); err != nil {
			t.Errorf("%s in another folder: %v", file, err)
		}
		if _, err := evaluate(t.TempDir(), content, nil); err == nil {
			t.Errorf("%s reads files that nobody copied", file)
		}
	}
	if copied != 4 {
		t.Errorf("%d files of Terraform read files of the clone", copied)
	}
}

// Upstream's --cluster-name is not the id in the tags of AWS, which the policies are limited to.
func TestNamesOnAWS(t *testing.T) {
	const file = "terraform/aws/main.tf"
	given := map[string]string{"cluster_name": "kubernetes", "cluster_id": "prod"}
	m, pod := checkModule(t, file, providers[file], read(t, folder, file), given)
	for _, flag := range []string{"--cluster-name=kubernetes", "--cluster-id=prod"} {
		if !slices.Contains(pod.Containers[0].Args, flag) {
			t.Errorf("the flags %q lack %s", pod.Containers[0].Args, flag)
		}
	}
	var found []string
	for _, policy := range m.resources["aws_iam_role_policy"] {
		name := textOf(t, policy, "name")
		found = append(found, name)
		want := strings.ReplaceAll(string(read(t, top, "config/iam", name+".json")), "CLUSTER_ID", "prod")
		if textOf(t, policy, "policy") != want {
			t.Errorf("policy %s is for another cluster", name)
		}
	}
	slices.Sort(found)
	if want := []string{"classic-balancers", "first-balancer", "network-balancers", "nodes", "security-groups"}; !slices.Equal(found, want) {
		t.Errorf("policies are %q, want %q", found, want)
	}
}

// withRoutes are lines that are comments, because not every cluster has routes.
var withRoutes = regexp.MustCompile(`(?m)^( *)# ("routes",|network +=|controllers =|gce: |controllers: )`)

// What is a comment for clusters without routes works on those with routes.
func TestRoutesOnGoogleCloud(t *testing.T) {
	for _, file := range []string{"terraform/gce/main.tf", "terraform/gce-key/main.tf"} {
		content := withRoutes.ReplaceAll(read(t, folder, file), []byte("$1$2"))
		m, pod := checkModule(t, file, "gce", content, nil)
		checkRoutes(t, file, pod.Containers[0].Args)
		if got := variableOf(pod, "GCE_NETWORK"); got != "my-network" {
			t.Errorf("%s: the network is %q", file, got)
		}
		if roles, members := m.resources["google_project_iam_custom_role"], m.resources["google_project_iam_member"]; len(roles) != 2 || len(members) != 2 {
			t.Errorf("%s: %d roles for %d members", file, len(roles), len(members))
		}
		for _, role := range m.resources["google_project_iam_custom_role"] {
			if id := textOf(t, role, "role_id"); !regexp.MustCompile(`^[\w.]{3,64}$`).MatchString(id) {
				t.Errorf("%s: Google allows no role %s", file, id)
			}
		}
	}
	const file = "cluster-api/capg.yaml"
	proxy := strict[helmChartProxy](t, withRoutes.ReplaceAll(read(t, folder, file), []byte("$1$2")))
	checkRoutes(t, file, checkRelease(t, file, "gce", valuesOf(t, proxy), nil).Containers[0].Args)
}

func checkRoutes(t *testing.T, file string, args []string) {
	t.Helper()
	if !slices.Contains(args, "--configure-cloud-routes=true") || !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--cluster-cidr=") }) {
		t.Errorf("%s: no routes with %q", file, args)
	}
	if header := headerOf(t, file); !strings.Contains(header, "# Routes: ") || !strings.Contains(header, "second route") {
		t.Errorf("%s: the comment at the top does not say how routes stay", file)
	}
}

var (
	// reads are files that commands in comments read, makes those that they write.
	reads = regexp.MustCompile(`(?: -f |@|aws s3 cp |load_str\("|helm template multicloud-ccm )([\w./-]+)`)
	makes = regexp.MustCompile(` > (\S+)\n`)
)

// Commands run at the top of the clone: what they read is there, or a command before makes it.
func TestCommands(t *testing.T) {
	for _, file := range []string{"kops/cluster.yaml", "talos/patch.yaml"} {
		content := string(read(t, folder, file))
		found := reads.FindAllStringSubmatchIndex(content, -1)
		if len(found) < 4 || !strings.Contains(content, "for the top of the clone") {
			t.Errorf("%s has %d files in its commands", file, len(found))
		}
		for _, at := range found {
			name := content[at[2]:at[3]]
			var made []string
			for _, match := range makes.FindAllStringSubmatch(content[:at[0]], -1) {
				made = append(made, match[1])
			}
			if _, err := os.Stat(filepath.Join(top, name)); err != nil && !slices.Contains(made, name) {
				t.Errorf("%s: a command reads %s: %v", file, name, err)
			}
		}
	}
}
