package aws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

// ConfigOptions say how a driver is configured.
type ConfigOptions struct {
	// Proxy is what the driver's requests go through.
	Proxy *proxy.Proxy
	// Declared are the driver's settings, whose defaults hold where Environment says nothing.
	Declared    []cloud.Setting
	Environment map[string]string
	// Global are further lines of the section [Global] of cloud.conf.
	Global []string
	// Bare leaves out the lines that World.Global has.
	Bare bool
	// Cloud is the name of the entry, "aws" when empty.
	Cloud string
	// Transport carries the requests, to the proxy; one of its own when nil.
	Transport http.RoundTripper
	// Warn takes warnings; they fail the test when nil.
	Warn func(string)
}

// Global are the lines of cloud.conf that let a driver be in the World from outside.
func (w *World) Global() []string {
	return []string{
		"VPC = " + w.VPC,
		"SubnetID = " + w.Private[0],
		"KubernetesClusterID = " + w.ClusterID,
		"Region = " + w.Region,
	}
}

// Config is the configuration of a driver that is in the World.
func (w *World) Config(t testing.TB, o ConfigOptions) cloud.Config {
	t.Helper()
	environment := map[string]string{
		"AWS_ENDPOINT_URL": o.Proxy.URL, "AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey,
	}
	for _, setting := range o.Declared {
		if _, ok := environment[setting.Name]; !ok {
			environment[setting.Name] = setting.Default
		}
	}
	for name, value := range o.Environment {
		environment[name] = value
	}
	var global []string
	if !o.Bare {
		global = w.Global()
	}
	file := fmt.Sprintf("[Global]\n%s\n", strings.Join(append(global, o.Global...), "\n"))
	c := cloud.Config{
		Cloud: o.Cloud, ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test", Transport: o.Transport,
		File:   func() ([]byte, error) { return []byte(file), nil },
		Lookup: func(name string) string { return environment[name] },
		Secret: func(name string) (string, error) { return environment[name], nil },
		Warn:   o.Warn,
	}
	if c.Cloud == "" {
		c.Cloud = "aws"
	}
	if c.Transport == nil {
		own := &http.Transport{}
		t.Cleanup(own.CloseIdleConnections)
		c.Transport = own
	}
	if c.Warn == nil {
		c.Warn = func(message string) { t.Errorf("the configuration is warned of: %s", message) }
	}
	return c
}
