package config

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var sourced = cloud.Descriptor{
	Settings: []cloud.Setting{
		{Name: "X_TOKEN", Secret: true}, {Name: "X_NETWORK", Secret: true, Public: true}, {Name: "X_APPLICATION_CREDENTIALS"},
		{Name: "X_URL", Default: "https://api.example.com/v1"},
	},
	ConfigFile: &cloud.ConfigFile{},
}

func TestSourceOfCredentials(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		file string
		want string
	}{
		{map[string]string{"X_TOKEN": "secret", "X_NETWORK": "net"}, "", "X_TOKEN"},
		{map[string]string{"X_TOKEN_FILE": "/run/token"}, "", "the file /run/token (X_TOKEN_FILE)"},
		{map[string]string{"X_APPLICATION_CREDENTIALS": "/run/key"}, "", "the file /run/key (X_APPLICATION_CREDENTIALS)"},
		{nil, "/etc/cloud.conf", "the file /etc/cloud.conf (--cloud-config)"},
		{map[string]string{"X_TOKEN": "secret"}, "/etc/cloud.conf", "X_TOKEN and the file /etc/cloud.conf (--cloud-config)"},
		{nil, "", "the machine this runs on, as X_TOKEN is not set"},
	} {
		if got := (Source{sourced, tt.file, func(name string) string { return tt.env[name] }}).Credentials(); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestSourceOfAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cloud.conf")
	if err := os.WriteFile(path, []byte("auth-url=http://192.0.2.1:5000/v3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	to := func(address string) error {
		return fmt.Errorf("reading: %w", &url.Error{Op: "Get", URL: address, Err: refused})
	}
	for _, tt := range []struct {
		env  map[string]string
		err  error
		want string
	}{
		{map[string]string{"X_URL": "http://127.0.0.1:1/x"}, to("http://127.0.0.1:1/x/account"), "X_URL"},
		{nil, to("https://api.example.com/v1/account"), "X_URL, which is not set"},
		{map[string]string{"X_URL": "http://127.0.0.1:1/x"}, to("https://api.example.com/v1/account"), ""},
		{nil, to("http://192.0.2.1:5000/v3/auth/tokens"), "the file " + path + " (--cloud-config)"},
		{nil, &url.Error{Op: "Get", URL: "https://api.example.com", Err: &net.OpError{Op: "proxyconnect", Err: refused}}, "HTTPS_PROXY or HTTP_PROXY"},
		{map[string]string{"X_TOKEN": "api.example.net"}, to("https://api.example.net/"), ""},
		{nil, refused, ""},
	} {
		if got := (Source{sourced, path, func(name string) string { return tt.env[name] }}).Address(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
