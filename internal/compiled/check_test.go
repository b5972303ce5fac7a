package compiled_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	_ "github.com/multicloud-ccm/multicloud-ccm/internal/compiled"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// values are wrong for settings of all kinds, right for some.
var values = []string{"x", "-1", "0", "true", "a b", "../x", "/does/not/exist", "ftp://x", "10.0.0.1", "10.0.0.0/8", "{}"}

// proper are files of --cloud-config in which nothing is wrong.
var proper = map[string]string{
	"openstack": "[Global]\nauth-url = https://keystone.example.com/v3\nusername = u\npassword = p\ntenant-name = t\ndomain-name = d\nregion = r\n",
	"aws":       "[Global]\nVPC = vpc-1\nKubernetesClusterID = c\nSubnetID = subnet-1\nRegion = eu-central-1\n",
	"gce":       "[Global]\nproject-id = p\n",
}

// counting fails all requests, and counts them.
type counting struct{ requests int }

func (c *counting) RoundTrip(*http.Request) (*http.Response, error) {
	c.requests++
	return nil, errors.New("no cloud is here")
}

// configuration is that of a provider with one setting, and a file.
func configuration(d cloud.Descriptor, name, value, file string) cloud.Config {
	lookup := func(asked string) string {
		for _, s := range d.Settings {
			switch {
			case s.Name != asked:
			case s.Name == name:
				return value
			case s.Required:
				return "token"
			default:
				return s.Default
			}
		}
		return ""
	}
	c := cloud.Config{
		Cloud: d.Name, ClusterName: "kubernetes", Lookup: lookup, Secret: func(name string) (string, error) { return lookup(name), nil },
		Warn: func(string) {}, UserAgent: "multicloud-ccm/test",
	}
	if d.ConfigFile != nil {
		c.File = func() ([]byte, error) { return []byte(file), nil }
	}
	return c
}

// TestCheckRefusesWhatNewDoes: what a constructor refuses before its first request is said before anything is read, for each
// setting and each key of a file.
func TestCheckRefusesWhatNewDoes(t *testing.T) {
	for _, variable := range os.Environ() { // the SDK of AWS has variables of its own
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	refused := map[string]int{}
	for _, p := range registry.All() {
		d := p.Descriptor
		try := func(what, name, value, file string) {
			c := configuration(d, name, value, file)
			var checked error
			if p.Check != nil {
				checked = p.Check(c)
			}
			transport := &counting{}
			c.Transport = transport
			c.WithTLS = func(*tls.Config) http.RoundTripper { return transport }
			_, err := p.New(t.Context(), c)
			switch {
			case err != nil && transport.requests == 0 && checked == nil:
				t.Errorf("%s: %s: New fails without a request, and Check does not say it: %v", d.Name, what, err)
			case err == nil && checked != nil, transport.requests > 0 && checked != nil:
				t.Errorf("%s: %s: Check refuses what New takes: %v", d.Name, what, checked)
			case checked != nil:
				refused[d.Name]++
			}
		}
		try("nothing", "", "", proper[d.Name])
		if refused[d.Name] > 0 {
			t.Errorf("%s: a configuration without mistakes is refused", d.Name)
		}
		for _, value := range values {
			for _, s := range d.Settings {
				try(s.Name+"="+value, s.Name, value, proper[d.Name])
			}
			if d.ConfigFile == nil || d.ConfigFile.Inventory { // the kernel reads an Inventory, before both
				continue
			}
			for _, k := range d.ConfigFile.Keys {
				line := fmt.Sprintf("[%s]\n%s = %s\n", k.Section, k.Name, value)
				try(strings.ReplaceAll(line, "\n", " "), "", "", proper[d.Name]+line)
			}
		}
	}
	for _, p := range registry.All() {
		if refused[p.Descriptor.Name] == 0 {
			t.Errorf("%s: nothing is refused, so nothing is tested", p.Descriptor.Name)
		}
	}
	t.Logf("refused: %v", refused)
}
