// Package config reads what a provider is configured with: environment variables, secrets
// in files and the file of --cloud-config.
package config

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// FileSuffix marks the variable that holds the path of a secret instead of the secret.
const FileSuffix = "_FILE"

// Settings resolves the settings a provider declared.
type Settings struct {
	declared map[string]cloud.Setting
	getenv   func(string) string

	mu    sync.Mutex
	files map[string]secretFile // by path
}

type secretFile struct {
	modified time.Time
	value    string
}

// New returns the settings of the declared variables. The error lists every required one
// that is missing.
func New(declared []cloud.Setting, getenv func(string) string) (*Settings, error) {
	s := &Settings{declared: map[string]cloud.Setting{}, getenv: getenv, files: map[string]secretFile{}}
	var missing []error
	for _, setting := range declared {
		s.declared[setting.Name] = setting
		if err := s.check(setting); err != nil {
			missing = append(missing, err)
		}
	}
	return s, errors.Join(missing...)
}

func (s *Settings) check(setting cloud.Setting) error {
	if !setting.Required {
		return nil
	}
	value := s.Lookup(setting.Name)
	if setting.Secret {
		var err error
		if value, err = s.Secret(setting.Name); err != nil {
			return err
		}
	}
	if value != "" {
		return nil
	}
	if setting.Secret {
		return fmt.Errorf("environment variable %s is not set: set it, or %s to the path of a file that holds it (%s)", setting.Name, setting.Name+FileSuffix, setting.Doc)
	}
	return fmt.Errorf("environment variable %s is not set (%s)", setting.Name, setting.Doc)
}

// Lookup returns the value of a declared setting, its default when it is unset. It panics
// on a name that was not declared, because that setting would be undocumented.
func (s *Settings) Lookup(name string) string {
	setting, ok := s.declared[name]
	if !ok {
		panic(fmt.Sprintf("setting %s is not declared", name))
	}
	if value := s.getenv(name); value != "" {
		return value
	}
	return setting.Default
}

// Secret returns the current value of a secret setting: the content of the file that
// NAME_FILE names, without surrounding white space and read again after it changed, else
// the variable itself.
func (s *Settings) Secret(name string) (string, error) {
	path := s.getenv(name + FileSuffix)
	if path == "" {
		return strings.TrimSpace(s.Lookup(name)), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("reading the secret %s from its file: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if file, ok := s.files[path]; ok && file.modified.Equal(info.ModTime()) {
		return file.value, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the secret %s from its file: %w", name, err)
	}
	value := strings.TrimSpace(string(content))
	s.files[path] = secretFile{modified: info.ModTime(), value: value}
	return value, nil
}
