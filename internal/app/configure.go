package app

import (
	"errors"
	"os"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/internal/config"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// configure returns what a provider's constructor gets, as far as flags and environment say it, and a remark on each variable
// that may be a typing error. Whatever is wrong that no cloud has to be asked for is one usage error, which names all of it. Without a
// path, running is what reads the file of the running controller manager, or nil.
func configure(provider registry.Provider, clusterName, path string, running func() ([]byte, error)) (cloud.Config, []string, error) {
	d := provider.Descriptor
	unknown := config.UnknownVariables(d, os.Environ())
	settings, missing := config.New(d.Settings, os.Getenv)
	file, unread := configFile(path, d)
	if file == nil && unread == nil {
		file = running
	}
	c := cloud.Config{
		Cloud: d.Name, ClusterName: clusterName, Default: true, File: file, UserAgent: userAgent(), Lookup: settings.Lookup, Secret: settings.Secret,
	}
	var wrong error
	if file != nil && d.ConfigFile.Inventory {
		if c.Inventory, unread = provider.Inventory(file); unread != nil {
			unread = usagef("--cloud-config: %v", unread)
		}
	}
	// Of an inventory a provider checks nothing, of any other file it does.
	if provider.Check != nil && (unread == nil || c.Inventory == nil && file != nil && d.ConfigFile.Inventory) {
		asked := c
		asked.Warn = func(string) {} // the constructor says it
		wrong = provider.Check(asked)
	}
	if err := errors.Join(missing, unread, wrong); err != nil {
		return c, unknown, usagef("provider %s: %s", d.Name, strings.Join(append([]string{oneLine(err)}, unknown...), "; "))
	}
	return c, unknown, nil
}

// configFile returns what reads the file of --cloud-config, nil when there is none.
func configFile(path string, d cloud.Descriptor) (func() ([]byte, error), error) {
	switch {
	case path != "" && d.ConfigFile == nil:
		return nil, usagef("--cloud-config=%s: provider %s reads no file; its settings are environment variables", path, d.Name)
	case path == "" && d.ConfigFile != nil && d.ConfigFile.Required:
		return nil, usagef("--cloud-config is not set: provider %s needs its file %s", d.Name, d.ConfigFile.Key)
	case path == "":
		return nil, nil
	}
	if _, err := os.ReadFile(path); err != nil {
		return nil, usagef("--cloud-config: %v", err)
	}
	return func() ([]byte, error) { return os.ReadFile(path) }, nil
}

// oneLine puts joined errors into one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
