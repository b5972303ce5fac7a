package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Source says, for people, which settings something of a provider comes from.
type Source struct {
	Provider cloud.Descriptor
	// File is the path of --cloud-config, "" for none.
	File   string
	Getenv func(string) string
}

// Credentials names where the credentials are read. No value is named.
//
//	given                              named
//	the variable, or that of its file  it, the path of the file too
//	a file that may hold secrets       --cloud-config and its path
//	nothing                            the machine this runs on
func (s Source) Credentials() string {
	var found, possible []string
	for _, setting := range s.Provider.Settings {
		path := s.Getenv(setting.Name + FileSuffix)
		switch {
		case namesCredentials(setting) && s.Getenv(setting.Name) != "":
			found = append(found, fmt.Sprintf("the file %s (%s)", s.Getenv(setting.Name), setting.Name))
		case !setting.Secret || setting.Public:
			continue
		case path != "":
			found = append(found, fmt.Sprintf("the file %s (%s)", path, setting.Name+FileSuffix))
		case s.Getenv(setting.Name) != "":
			found = append(found, setting.Name)
		}
		if setting.Secret {
			possible = append(possible, setting.Name)
		}
	}
	if s.File != "" && s.Provider.ConfigFile != nil && s.Provider.ConfigFile.Secret() {
		found = append(found, "the file "+s.File+" (--cloud-config)")
	}
	switch {
	case len(found) > 0:
		return strings.Join(found, " and ")
	case len(possible) > 0:
		return "the machine this runs on, as " + strings.Join(possible, ", ") + " is not set"
	}
	return "the machine this runs on"
}

// namesCredentials reports whether a setting that is no secret itself names a file with some, as SDKs have them.
func namesCredentials(setting cloud.Setting) bool {
	return !setting.Secret && (strings.HasSuffix(setting.Name, FileSuffix) || strings.HasSuffix(setting.Name, "_CREDENTIALS"))
}

// Address names the setting with the address that an error is about, "" where none is known.
func (s Source) Address(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "proxyconnect" {
		return "HTTPS_PROXY or HTTP_PROXY"
	}
	failed, ok := errors.AsType[*url.Error](err)
	if !ok {
		return ""
	}
	address, parseErr := url.Parse(failed.URL)
	if parseErr != nil || address.Host == "" {
		return ""
	}
	return s.holder(address.Host)
}

// holder names the setting that has a host.
func (s Source) holder(host string) string {
	for _, setting := range s.Provider.Settings {
		switch {
		case setting.Secret:
		case strings.Contains(s.Getenv(setting.Name), host):
			return setting.Name
		case s.Getenv(setting.Name) == "" && strings.Contains(setting.Default, host):
			return setting.Name + ", which is not set"
		}
	}
	if s.File == "" {
		return ""
	}
	if content, err := os.ReadFile(s.File); err == nil && strings.Contains(string(content), host) {
		return "the file " + s.File + " (--cloud-config)"
	}
	return ""
}
