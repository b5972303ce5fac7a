package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSecretValues reads files of all formats in which credentials are given.
func TestSecretValues(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		want    []string
	}{
		"cloud.conf":         {"[Global]\nusername = a\npassword = \"p;\\\"w#1\" ; comment\napplication-credential-secret=s3:cret # other\n", []string{`p;"w#1`, "s3:cret"}},
		"an apostrophe":      {"[Global]\npassword = it's # the secret\n", []string{"it's"}},
		"over two lines":     {"[Global]\npassword = abc\\\ndef\n", []string{"abcdef"}},
		"clouds.yaml":        {"clouds:\n  one:\n    auth:\n      username: a\n      password: 'it''s # p'\n      application_credential_secret: s1\n", []string{"it's # p", "s1"}},
		"numbers":            {"auth: {password: 12345678}\n", []string{"12345678"}},
		"credentials of AWS": {"[default]\naws_access_key_id = AK1\naws_secret_access_key = s/2+3=\n", []string{"AK1", "s/2+3="}},
		"service account":    {`{"type": "service_account", "private_key_id": "k1", "private_key": "-----BEGIN\nabc\n-----END"}`, []string{"k1", "-----BEGIN\nabc\n-----END"}},
		"kubeconfig":         {"users:\n- name: a\n  user: {token: t1, client-key-data: a2V5}\n", []string{"t1", "a2V5"}},
		"an env file":        {"OS_PASSWORD='one two' # mine\n", []string{"one two"}},
		"nothing":            {"[Global]\nusername = a\nuse-token = true\n", nil},
	} {
		got := secretValues(tt.content)
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q is not in %q", name, want, got)
			}
		}
		if tt.want == nil && len(got) > 0 {
			t.Errorf("%s: %q are no secrets", name, got)
		}
	}
}

// TestSecrets finds those of the environment and of the files that it names.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, err := json.Marshal(map[string]string{"private_key_id": "inline-id", "client_email": "a@b"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GCE_CREDENTIALS_JSON", string(key))
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", write("key.json", `{"private_key_id": "file-id"}`))
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", write("token", "web-identity\n"))
	t.Setenv("DO_ACCESS_TOKEN_FILE", write("do", "of-a-file\n"))
	t.Setenv("OS_CLIENT_CONFIG_FILE", write("other.yaml", "clouds: {one: {auth: {password: of-clouds}}}"))
	write("secure.yaml", "clouds: {one: {auth: {password: of-secure}}}")
	e := &examination{}
	e.kubeconfig = write("kubeconfig", "users: [{name: a, user: {token: of-kubeconfig}}]")
	e.cloudConfig = write("cloud.conf", "[Global]\npassword=of-conf\n")
	got := map[string]bool{}
	for _, secret := range e.secrets() {
		got[strings.TrimSpace(secret)] = true
	}
	for _, want := range []string{"inline-id", "file-id", "web-identity", "of-a-file", "of-clouds", "of-secure", "of-kubeconfig", "of-conf"} {
		if !got[want] {
			t.Errorf("%q is not found", want)
		}
	}
	if got["a@b"] {
		t.Error("an address is no secret")
	}
}
