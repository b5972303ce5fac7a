package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSecretValues(t *testing.T) {
	for content, want := range map[string]string{
		"password=ab:cd":                            "ab:cd",
		"password: ab=cd":                           "ab=cd",
		`password = "a;b\"c\\d" ; comment`:          `a;b"c\d`,
		"secret-key = plain # comment":              "plain",
		"token = 'single'":                          "single",
		`{"a":1,"aadClientSecret":"x,y"}`:           "x,y",
		"clouds: {a: {auth: {password: 12345678}}}": "12345678",
		"application-credential-secret=one\\\ntwo":  "onetwo",
		"auth:\n  password: |\n    block\n":         "block\n",
	} {
		if got := secretValues(content); !slices.Contains(got, want) {
			t.Errorf("%q: want %q among %q", content, want, got)
		}
	}
	if got := secretValues("use-token = true\nname=x"); len(got) != 0 {
		t.Errorf("%q are no secrets", got)
	}
}

// TestSecretsOfClouds reads the files that OpenStack's driver reads.
func TestSecretsOfClouds(t *testing.T) {
	folder, other, home := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path, content string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	clouds := func(secret string) string { return "clouds:\n  a:\n    auth:\n      password: '" + secret + "'\n" }
	named := write(filepath.Join(folder, "named.yaml"), clouds("of-named"))
	write(filepath.Join(folder, "secure.yaml"), clouds("of-secure"))
	t.Setenv("OS_CLIENT_CONFIG_FILE", write(filepath.Join(other, "clouds.yaml"), clouds("of-variable")))
	t.Setenv("XDG_CONFIG_HOME", home)
	write(filepath.Join(home, "openstack", "clouds-public.yaml"), "public-clouds: {a: {auth: {token: of-public}}}")
	t.Setenv("OS_PASSWORD", "of-environment")
	e := &examination{}
	e.cloudConfig = write(filepath.Join(other, "cloud.conf"), "[Global]\nclouds-file = \""+named+"\" ; here\npassword=ab:cd\n")
	got := e.secrets()
	for _, want := range []string{"of-named", "of-secure", "of-variable", "of-public", "of-environment", "ab:cd"} {
		if !slices.Contains(got, want) {
			t.Errorf("want %q among the secrets", want)
		}
	}
}

func TestWithoutUser(t *testing.T) {
	for address, want := range map[string]string{
		"https://10.0.0.1:6443": "https://10.0.0.1:6443", "https://user:p@ss@host/x": "https://host/x", "user:pw@host:443": "host:443", "": "",
		"https://user:p/w@host": "https://host",
	} {
		if got := withoutUser(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
