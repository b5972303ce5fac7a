package gce

import (
	"reflect"
	"strings"
	"testing"
)

// lookup returns the declared defaults with these variables on top.
func lookup(env map[string]string) func(string) string {
	values := map[string]string{}
	for _, s := range declaredSettings() {
		values[s.Name] = s.Default
	}
	return func(name string) string {
		if value, ok := env[name]; ok {
			return value
		}
		return values[name]
	}
}

func TestSettings(t *testing.T) {
	got, err := readSettings(lookup(map[string]string{
		envProject: " example.com:shop ", envNodeProjects: "a-1, b", envMetadata: "[fd20:ce::254]:80", envCredentialsFile: "/x",
	}))
	want := settings{credentialsFile: "/x", project: "example.com:shop", nodeProjects: []string{"a-1", "b"}, metadata: "[fd20:ce::254]:80"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := readSettings(lookup(nil)); err != nil || got.metadata != "169.254.169.254" {
		t.Errorf("defaults: %+v, %v", got, err)
	}
	_, err = readSettings(lookup(map[string]string{envProject: "a/b", envNodeProjects: "42", envMetadata: "http://x/"}))
	for _, name := range []string{envProject, envNodeProjects, envMetadata} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not refused: %v", name, err)
		}
	}
}
