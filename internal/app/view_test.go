package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// In the controller manager's own container its flags count, unless one is given.
func TestRunning(t *testing.T) {
	flags := func() (*perspective, *pflag.FlagSet) {
		p, fs := &perspective{}, pflag.NewFlagSet("", pflag.ContinueOnError)
		p.flags(fs)
		return p, fs
	}
	line := func(args ...string) func(string) ([]byte, error) {
		return func(string) ([]byte, error) { return []byte(strings.Join(args, "\x00") + "\x00"), nil }
	}
	p, fs := flags()
	if err := fs.Parse([]string{"--cluster-cidr=10.1.0.0/16"}); err != nil {
		t.Fatal(err)
	}
	err := running(fs, "/bin/ccm", line("/ccm", "--v=2", "--cloud-provider=aws", "--cluster-name=prod", "--cluster-cidr=10.2.0.0/16",
		"--node-deletion=false", "--adoption=own", "--adoption=a=b/c", "--secure-port=10258", "--configure-cloud-routes"))
	if err != nil {
		t.Fatal(err)
	}
	if p.provider != "aws" || p.clusterName != "prod" || p.clusterCIDR != "10.1.0.0/16" || p.own.nodeDeletion || !p.configureRoutes || strings.Join(p.own.adopt, " ") != "own a=b/c" {
		t.Errorf("got %+v, %+v", p, p.own)
	}
	for name, read := range map[string]func(string) ([]byte, error){
		"another program": line("/sbin/init", "--cluster-name=prod"),
		"no proc":         func(string) ([]byte, error) { return nil, errors.ErrUnsupported },
	} {
		p, fs := flags()
		if err := running(fs, "/bin/ccm", read); err != nil || p.clusterName != "kubernetes" {
			t.Errorf("%s: %v, %s", name, err, p.clusterName)
		}
	}
}

// Every sub-command says in its help what it is good for.
func TestEverySubcommandHasAnExample(t *testing.T) {
	for _, cmd := range Subcommands() {
		if !strings.Contains(cmd.Example, "cloud-controller-manager "+cmd.Name()) {
			t.Errorf("%s has no example with its name: %q", cmd.Name(), cmd.Example)
		}
	}
}
