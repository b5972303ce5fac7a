package openstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// What lab/up.sh sets up.
const (
	AuthURL  = "http://127.0.0.1:5000/v3"
	Region   = "RegionOne"
	Domain   = "default" // its id
	External = "public"  // the external network
	Password = "lab-secret"
	// home is where state and configuration live, unless OSLAB_HOME says otherwise.
	home = "/var/lib/openstack-lab"
)

// Zones are the availability zones of nova.
var Zones = []string{"az1", "az2", "az3"}

// Lab is the running lab, which all tests on a machine share.
type Lab struct {
	// Admin sees and may change everything.
	Admin *Cloud

	scripts, home string
}

// Missing says in one line what this machine lacks to run the lab, nil when nothing. Packages
// are not looked for: the start installs them.
func Missing() error {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return errors.New("the OpenStack lab needs Linux and root")
	}
	for _, program := range []string{"apt-get", "flock", "openssl"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("the OpenStack lab needs Debian 12 with %s: %w", program, err)
		}
	}
	return nil
}

// Start installs and starts what does not run, and connects as admin. It takes a second where
// all runs, some ten where it was stopped, and about a minute on a new machine. Processes
// that start it at the same time wait for each other. Nothing stops it: see `make
// openstack-lab-down`. What the scripts say goes to progress.
func Start(ctx context.Context, progress io.Writer) (*Lab, error) {
	if err := Missing(); err != nil {
		return nil, err
	}
	root, err := ccm.Root()
	if err != nil {
		return nil, err
	}
	l := &Lab{scripts: filepath.Join(root, "test", "openstack", "lab"), home: home}
	if dir, ok := os.LookupEnv("OSLAB_HOME"); ok {
		l.home = dir
	}
	cmd := exec.CommandContext(ctx, filepath.Join(l.scripts, "up.sh"))
	cmd.Stdout, cmd.Stderr = progress, progress
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("starting the OpenStack lab: %w", err)
	}
	l.Admin, err = Connect(ctx, AuthURL, gophercloud.AuthOptions{
		Username: "admin", Password: Password, TenantName: "admin", DomainID: Domain,
	})
	return l, err
}

// StopService kills one process of the lab, for instance "octavia", as a crash would. Whoever
// shares the lab loses it too: start it again in the same test.
func (l *Lab) StopService(ctx context.Context, name string) error {
	_, err := l.script(ctx, "service.sh", "stop", name)
	return err
}

// StartService starts a process of the lab and returns when it listens.
func (l *Lab) StartService(ctx context.Context, name string) error {
	_, err := l.script(ctx, "service.sh", "start", name)
	return err
}

// script runs one of the lab's scripts and returns its standard output.
func (l *Lab) script(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(l.scripts, name), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s of the OpenStack lab: %w: %s", name, err, stderr.Bytes())
	}
	return out, nil
}
