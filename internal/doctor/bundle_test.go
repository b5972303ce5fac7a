package doctor

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestHidden looks for secrets with characters that JSON writes in another way, in texts and in objects.
func TestHidden(t *testing.T) {
	known := []string{`amp&less<more`, `quote"inside`, `back\slash`}
	texts := []string{
		`{"password":"Zq01"}`, `{"auth":{"password": "Zq\"02"}}`, `body: "{\"password\":\"Zq03\",\"a\":1}"`, `{\"secret\": \"Zq\\\"04\"}`,
		`{\\\"token\\\":\\\"Zq05\\\"}`, `https://user:p@Zq06@host/v2`, `password = "Zq07"`, `api_key: Zq08`, `{"X-Auth-Token":["Zq0"]}`, `map[X-Auth-Token:[Zq0]]`, `X-Subject-Token: Zq0`, `dial https://u:a@b@Zq09@proxy:3128: refused`,
	}
	for _, secret := range known {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(string(quoted))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, "login with "+secret+" failed", "body "+string(quoted), "log "+string(again))
	}
	// Parts that stand for the secret however it is written.
	parts := []string{"Zq0", "04", "less", "more", "inside", "slash"}
	files := map[string]any{"list.json": texts, "fields.json": map[string]any{"password": "Zq0", "x": map[string]string{"apiKey": "Zq0"}, "bearerToken": false}}
	for n, text := range texts {
		files["text"+string(rune('a'+n))] = text
	}
	var out bytes.Buffer
	if err := archive(&out, files, newRedactor(known), now); err != nil {
		t.Fatal(err)
	}
	for name, content := range untar(t, &out) {
		for _, part := range parts {
			if strings.Contains(content, part) {
				t.Errorf("%s has %q: %s", name, part, content)
			}
		}
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(content)) {
			t.Errorf("%s is not JSON: %s", name, content)
		}
	}
}

func untar(t *testing.T, in io.Reader) map[string]string {
	t.Helper()
	zipped, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	tape := tar.NewReader(zipped)
	files := map[string]string{}
	for {
		header, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tape)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}

func TestHiddenPod(t *testing.T) {
	args := []string{"/bin/ccm", "-pS3cret", "-pS3cret=1", "--S3cret", "--cloud-provider=x", "--odd=S3cret", "--plain", "--token", "S3cret"}
	spec := corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Command: args}},
		EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Args: []string{"S3cret"}, Env: []corev1.EnvVar{{Name: "A", Value: "S3cret"}},
		}}},
	}
	text, err := newRedactor(nil).written(newRedactor(nil).pod(spec, func(name string) bool { return name == "cloud-provider" }))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "S3cret") {
		t.Errorf("a secret is in %s", text)
	}
	for _, part := range []string{"/bin/ccm", "--cloud-provider=x", "--odd=[hidden]", `"--plain"`, `"--token"`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is not in %s", part, text)
		}
	}
}

// The id of a commit looks like a secret. In a file of the program itself it stays, elsewhere it does not.
func TestCommitIsShown(t *testing.T) {
	const commit = "a90b4ccaefd4bbf0ffcb52d0cbbe8d6a0fa2a1b3"
	about := map[string]any{"commit": commit}
	for name, tt := range map[string]struct {
		content any
		shown   bool
	}{"of the program": {plain{about}, true}, "of the cluster": {about, false}} {
		text, err := newRedactor(nil).written(tt.content)
		if err != nil || strings.Contains(text, commit) != tt.shown {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}
