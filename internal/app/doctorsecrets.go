package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloudconf"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// secrets are the texts that this process was given as secrets: settings of the providers, variables of
// the environment and values in configuration files that have the name of a secret.
func (e *examination) secrets() []string {
	var list []string
	given := func(text string) { list = append(append(list, text), secretValues(text)...) } // some are JSON
	paths := []string{e.cloudConfig, e.kubeconfig}
	for _, p := range registry.All() {
		for _, setting := range p.Descriptor.Settings {
			value := os.Getenv(setting.Name)
			paths = append(paths, value) // some are paths of credentials
			if setting.Secret {
				given(value)
				given(contentOf(os.Getenv(setting.Name + "_FILE")))
			}
		}
	}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		named, secret := strings.HasSuffix(name, "_FILE"), isSecretName(name)
		if named || secret {
			paths = append(paths, value)
		}
		if named {
			value = contentOf(value)
		}
		if secret && !slices.Contains(plainWords, value) {
			given(value)
		}
	}
	return append(list, fileSecrets(append(paths, cloudsPaths()...)...)...)
}

// contentOf is the beginning of a file, "" for what is none.
func contentOf(path string) string {
	content, err := readSome(path)
	if err != nil {
		return ""
	}
	return content
}

// fileSecrets returns the secrets of configuration files. The paths in a file are followed once, and
// the other files of clouds beside a file are read too.
func fileSecrets(paths ...string) []string {
	var list, more []string
	seen := map[string]bool{"": true}
	for _, path := range paths {
		if seen[path] {
			continue
		}
		seen[path] = true
		content, err := readSome(path)
		if err != nil {
			continue
		}
		list = append(list, secretValues(content)...)
		for _, line := range strings.Split(content, "\n") {
			if _, value, found := cutPair(line); found {
				more = append(more, readings(value)...)
			}
		}
		more = append(more, beside(path)...)
	}
	for n := 0; n < len(more); n++ {
		path := more[n]
		if seen[path] {
			continue
		}
		seen[path] = true
		if content, err := readSome(path); err == nil {
			list = append(list, secretValues(content)...)
			if filepath.Base(path) != "secure.yaml" {
				more = append(more, filepath.Join(filepath.Dir(path), "secure.yaml"))
			}
		}
	}
	return list
}

// cloudsFiles are the names of OpenStack's files.
var cloudsFiles = []string{"clouds.yaml", "secure.yaml", "clouds-public.yaml"}

func beside(path string) []string {
	var list []string
	for _, name := range cloudsFiles {
		list = append(list, filepath.Join(filepath.Dir(path), name))
	}
	return list
}

// cloudsPaths are where the files of OpenStack's clouds are looked for when none is named.
func cloudsPaths() []string {
	folders := []string{".", "/etc/openstack"}
	if user, err := os.UserConfigDir(); err == nil {
		folders = append(folders, filepath.Join(user, "openstack"))
	}
	var list []string
	for _, folder := range folders {
		list = append(list, beside(filepath.Join(folder, "clouds.yaml"))...)
	}
	return list
}

// mostConfig bounds the bytes of a configuration file that are read.
const mostConfig = 1 << 20

// readSome returns the beginning of a file, and an error for what is no file.
func readSome(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, mostConfig))
	return string(content), err
}

// secretWords are in the names of what is secret in a configuration file.
var secretWords = []string{"pass", "secret", "token", "key", "credential"}

func isSecretName(name string) bool {
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
}

// plainWords are values that are no secrets, and that are in many other texts.
var plainWords = []string{"true", "false", "none", "null", "True", "False"}

// secretValues returns the values with names of secrets in a file of any format: YAML and JSON by their
// structure, and each line with a name and a value in all ways in which it can be read.
func secretValues(content string) []string {
	var list []string
	var tree any
	if err := yaml.Unmarshal([]byte(content), &tree); err == nil {
		list = treeSecrets(tree, false)
	}
	for _, line := range strings.Split(strings.ReplaceAll(content, "\\\n", ""), "\n") {
		if name, value, found := cutPair(line); found && isSecretName(name) {
			list = append(list, readings(value)...)
		}
	}
	return slices.DeleteFunc(list, func(value string) bool { return slices.Contains(plainWords, value) })
}

// treeSecrets returns the texts and numbers below names of secrets.
func treeSecrets(tree any, secret bool) []string {
	var list []string
	switch t := tree.(type) {
	case map[string]any:
		for name, value := range t {
			list = append(list, treeSecrets(value, secret || isSecretName(name))...)
		}
	case []any:
		for _, value := range t {
			list = append(list, treeSecrets(value, secret)...)
		}
	case string:
		if secret {
			list = append(list, t)
		}
	case float64:
		if secret {
			list = append(list, fmt.Sprintf("%.0f", t))
		}
	}
	return list
}

// cutPair cuts a line at its first = or colon, whichever comes first.
func cutPair(line string) (name, value string, found bool) {
	at := strings.IndexAny(line, "=:")
	if at < 0 {
		return "", "", false
	}
	return line[:at], strings.TrimSpace(line[at+1:]), true
}

// readings are what a value can mean: as it stands, without quotes and commas, without the comment behind
// it, and with its quotes and backslashes resolved.
func readings(value string) []string {
	list := []string{value, strings.Trim(value, `"',`), cloudconf.Unquote(value)}
	for _, quotes := range []string{`"`, `"'`} { // an apostrophe is a quote in some formats
		literal := strings.TrimSpace(uncommented(value, quotes))
		list = append(list, cloudconf.Unquote(literal), strings.Trim(literal, "',"))
	}
	return list
}

// uncommented returns the value up to a comment outside of its quotes.
func uncommented(value, quotes string) string {
	var quote rune
	escaped := false
	for at, c := range value {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune(quotes, c):
			quote = c
		case quote == 0 && strings.ContainsRune(";#", c):
			return value[:at]
		}
	}
	return value
}
