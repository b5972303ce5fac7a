package examples

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
)

// The role on AWS trusts the ServiceAccount of the Pod, for the audience of the token that the Pod mounts.
func TestIdentityOnAWS(t *testing.T) {
	const file = "terraform/aws/main.tf"
	m, pod := checkModule(t, file, providers[file], read(t, folder, file), nil)
	role := one(t, m, "aws_iam_role")
	var trust struct {
		Statement []struct {
			Action    string
			Principal map[string]string
			Condition map[string]map[string]string
		}
	}
	decode(t, textOf(t, role, "assume_role_policy"), &trust)
	if len(trust.Statement) != 1 || trust.Statement[0].Action != "sts:AssumeRoleWithWebIdentity" {
		t.Fatalf("the trust policy is %+v", trust)
	}
	arn := textOf(t, one(t, m, "data.aws_iam_openid_connect_provider"), "arn")
	if federated := trust.Statement[0].Principal["Federated"]; federated != arn {
		t.Errorf("the role trusts %s, want %s", federated, arn)
	}
	token, audience := tokenOf(t, pod)
	issuer := strings.TrimPrefix(textOf(t, one(t, m, "data.aws_iam_openid_connect_provider"), "url"), "https://")
	want := map[string]map[string]string{"StringEquals": {issuer + ":aud": audience, issuer + ":sub": subject(pod)}}
	if diff := cmp.Diff(want, trust.Statement[0].Condition); diff != "" {
		t.Errorf("condition of the trust policy (-of the Pod +there):\n%s", diff)
	}
	for variable, want := range map[string]string{"AWS_ROLE_ARN": textOf(t, role, "arn"), "AWS_WEB_IDENTITY_TOKEN_FILE": token} {
		if got := variableOf(pod, variable); got != want {
			t.Errorf("%s is %q, want %q", variable, got, want)
		}
	}
}

// Google grants the roles to the ServiceAccount of the Pod, and the Pod exchanges the token that it mounts.
func TestIdentityOnGoogleCloud(t *testing.T) {
	const file = "terraform/gce/main.tf"
	m, pod := checkModule(t, file, providers[file], read(t, folder, file), nil)
	for _, member := range m.resources["google_project_iam_member"] {
		if got, want := textOf(t, member, "member"), "principal://iam.googleapis.com/"+pool+"/subject/"+subject(pod); got != want {
			t.Errorf("the role is for %s, want %s", got, want)
		}
	}
	provider := one(t, m, "google_iam_workload_identity_pool_provider")
	if mapping := provider.GetAttr("attribute_mapping").GetAttr("google.subject").AsString(); mapping != "assertion.sub" {
		t.Errorf("the subject is %s", mapping)
	}
	token, audience := tokenOf(t, pod)
	if want := "https://iam.googleapis.com/" + textOf(t, provider, "name"); audience != want {
		t.Errorf("the audience of the token is %s, want %s", audience, want)
	}
	values := strict[struct {
		Credentials struct {
			Inline struct {
				JSON string `json:"json"`
			} `json:"inline"`
		} `json:"credentials"`
	}](t, credentialsOf(t, m))
	var credentials map[string]any
	decode(t, values.Credentials.Inline.JSON, &credentials)
	want := map[string]any{
		"type": "external_account", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
		"token_url": "https://sts.googleapis.com/v1/token", "audience": strings.TrimPrefix(audience, "https:"),
		"credential_source": map[string]any{"file": token},
	}
	if diff := cmp.Diff(want, credentials); diff != "" {
		t.Errorf("credentials (-for the token +there):\n%s", diff)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func subject(pod corev1.PodSpec) string {
	return "system:serviceaccount:kube-system:" + pod.ServiceAccountName
}

func variableOf(pod corev1.PodSpec, name string) string {
	for _, variable := range pod.Containers[0].Env {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}

// tokenOf is the path of the only token with an audience that a Pod mounts, and that audience.
func tokenOf(t *testing.T, pod corev1.PodSpec) (file, audience string) {
	t.Helper()
	for name, source := range files(pod) {
		if source.ServiceAccountToken == nil || source.ServiceAccountToken.Audience == "" {
			continue
		}
		if file != "" {
			t.Errorf("tokens are %s and %s", file, name)
		}
		file, audience = name, source.ServiceAccountToken.Audience
	}
	return file, audience
}

// files are what a Pod mounts of projected volumes, by path.
func files(pod corev1.PodSpec) map[string]corev1.VolumeProjection {
	found := map[string]corev1.VolumeProjection{}
	for _, mount := range pod.Containers[0].VolumeMounts {
		for _, volume := range pod.Volumes {
			if volume.Name != mount.Name || volume.Projected == nil {
				continue
			}
			for _, source := range volume.Projected.Sources {
				for _, name := range names(source) {
					found[path.Join(mount.MountPath, name)] = source
				}
			}
		}
	}
	return found
}

func names(source corev1.VolumeProjection) []string {
	var found []string
	if source.ServiceAccountToken != nil {
		found = append(found, source.ServiceAccountToken.Path)
	}
	if source.Secret != nil {
		for _, item := range source.Secret.Items {
			found = append(found, item.Path)
		}
	}
	return found
}

// checkPaths compares the files that variables and flags name with those that are mounted.
func checkPaths(t *testing.T, where string, pod corev1.PodSpec) {
	t.Helper()
	mounted := files(pod)
	named := append([]string{}, pod.Containers[0].Args...)
	for _, variable := range pod.Containers[0].Env {
		named = append(named, variable.Name+"="+variable.Value)
	}
	for _, setting := range named {
		_, file, _ := strings.Cut(setting, "=")
		if _, ok := mounted[file]; strings.HasPrefix(file, "/") && !ok {
			t.Errorf("%s: nothing is mounted for %s", where, setting)
		}
	}
}

// credentialsOf are the values of the release that are credentials of Google Cloud.
func credentialsOf(t *testing.T, m *module) []byte {
	t.Helper()
	values := one(t, m, "helm_release").GetAttr("values").Index(cty.Zero).AsString()
	all := strict[map[string]any](t, []byte(values))
	return []byte(text(t, map[string]any{"credentials": all["gce"].(map[string]any)["credentials"]}))
}
