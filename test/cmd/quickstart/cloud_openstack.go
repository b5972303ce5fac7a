package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// requestLimit bounds a request to the cloud that the story makes.
const requestLimit = 30 * time.Second

// openStack is a project of its own in the real OpenStack on this machine.
type openStack struct {
	project *openstack.Project
	dir     string // holds the cloud.conf
	list    []machine
	ids     map[string]string // by name
}

func newOpenStack(ctx context.Context, progress io.Writer) (*openStack, error) {
	fmt.Fprintln(progress, "==> starting OpenStack on this machine (a minute the first time, with the installation of its packages)")
	l, err := openstack.Start(ctx, progress)
	if err != nil {
		return nil, err
	}
	o := &openStack{ids: map[string]string{}}
	if o.project, err = l.OpenProject(ctx, openstack.ProjectOptions{}); err == nil {
		err = errors.Join(o.boot(ctx), o.configure())
	}
	if err != nil {
		o.close() //nolint:contextcheck // cleaning up goes on after ctx's end
		return nil, err
	}
	return o, nil
}

// boot makes the machines, one in each zone.
func (o *openStack) boot(ctx context.Context) error {
	for i, name := range nodeNames {
		zone := openstack.Zones[i%len(openstack.Zones)]
		server, err := o.project.BootServer(ctx, openstack.ServerOptions{Name: name, Zone: zone})
		if err != nil {
			return err
		}
		o.ids[name] = server.ID
		o.list = append(o.list, machine{
			name: name, providerID: "openstack:///" + server.ID, region: openstack.Region, zone: zone,
			addresses: []string{server.Address},
		})
	}
	return nil
}

// configure writes the cloud.conf.
func (o *openStack) configure() (err error) {
	if o.dir, err = os.MkdirTemp("", "mccm-quickstart-cloud-"); err != nil {
		return fmt.Errorf("making a folder for the cloud.conf: %w", err)
	}
	if err := os.WriteFile(o.file(), []byte(o.project.CloudConf(openstack.AuthURL)), 0o600); err != nil {
		return fmt.Errorf("writing the cloud.conf: %w", err)
	}
	return nil
}

func (o *openStack) file() string { return filepath.Join(o.dir, "cloud.conf") }

func (o *openStack) provider() string { return "openstack" }

func (o *openStack) title() string { return "a real OpenStack without a hypervisor" }

func (o *openStack) env() []string { return nil }

func (o *openStack) args() []string { return []string{"--cloud-config=" + o.file()} }

func (o *openStack) machines() []machine { return o.list }

func (o *openStack) stop(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	return o.project.StopServer(ctx, o.ids[name])
}

func (o *openStack) remove(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	return o.project.DeleteServer(ctx, o.ids[name])
}

func (o *openStack) hasAPI() bool { return true }

func (o *openStack) hasBalancers() bool { return true }

func (o *openStack) carriesTraffic() bool { return false }

func (o *openStack) door(string, int) string { return "" }

// close deletes the project. OpenStack goes on running: others may use it.
func (o *openStack) close() {
	if o.dir != "" {
		_ = os.RemoveAll(o.dir)
	}
	if err := o.project.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart: cleaning up in OpenStack:", err)
	}
}
