package nova

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// server is what the driver uses of a server of Nova.
type server struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	AccessIPv4 string            `json:"accessIPv4"`
	AccessIPv6 string            `json:"accessIPv6"`
	Zone       string            `json:"OS-EXT-AZ:availability_zone"`
	Project    string            `json:"tenant_id"`
	Metadata   map[string]string `json:"metadata"`
	Flavor     flavor            `json:"flavor"`
	// Addresses are Nova's copy of what Neutron knows, by name of the network. Floating
	// ones are taken from here: Neutron tells Nova of each change.
	Addresses map[string][]serverAddress `json:"addresses"`
}

// flavor is the flavor of a server: its name, before microversion 2.47 its id only.
type flavor struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	OriginalName string `json:"original_name"`
}

type serverAddress struct {
	Address string `json:"addr"`
	Type    string `json:"OS-EXT-IPS:type"`
}

func (s server) Identifier() string { return s.ID }

func (f flavor) Identifier() string { return f.ID }

// statusUnknown is the status of a server of which Nova knows no more than the id, because the
// part of the cloud it is in does not answer.
const statusUnknown = "UNKNOWN"

// getServer reads one server; nil means a definite not-found.
func (m *Machines) getServer(ctx context.Context, id string) (*server, error) {
	s, _, err := api.GetOne[server](ctx, m.compute, "server", "servers", id)
	switch {
	case api.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case s.Status == statusUnknown:
		return nil, fmt.Errorf("its part of the cloud does not answer: %w", cloud.ErrIncomplete)
	}
	return &s, nil
}

// servers lists the servers of the project; Nova looks at others only when asked to.
func (m *Machines) servers(ctx context.Context, query url.Values) ([]server, error) {
	return api.ListAll[server](ctx, m.compute, "servers", "servers/detail", query)
}

// namedLike finds servers whose name is this one in any case, with and without it.
func (m *Machines) namedLike(ctx context.Context, name string) ([]server, error) {
	all, err := m.servers(ctx, url.Values{"name": {"^" + regexp.QuoteMeta(name) + "$"}})
	if err != nil {
		return nil, err
	}
	var exact, similar []server
	for _, s := range all {
		switch {
		case s.Status == "DELETED" || s.Status == "SOFT_DELETED":
		case s.Name == name:
			exact = append(exact, s)
		case strings.EqualFold(s.Name, name):
			similar = append(similar, s)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return similar, nil
}

// state maps the status of a server. What does not run and only somebody's action can bring
// back is shut down; upstream knows SHUTOFF alone. Any other status, ERROR above all, says
// nothing of that kind.
func state(status string) cloud.State {
	switch status {
	case "SHUTOFF", "SUSPENDED", "PAUSED", "SHELVED", "SHELVED_OFFLOADED", "SOFT_DELETED":
		return cloud.StateStopped
	case "BUILD":
		return cloud.StatePending
	}
	return cloud.StateRunning
}

// flavors are the flavors of the cloud, read when the first server asks for them and then
// once: a server whose flavor has a name that is a label needs none.
type flavors struct {
	client *gophercloud.ServiceClient
	all    []flavor
	read   bool
}

// instanceType is the name of the flavor of a server if it can be a label, else its id, as with
// upstream. A flavor that was deleted has no id for servers that hold its name, and no name for
// those that hold its id.
func (f *flavors) instanceType(ctx context.Context, of flavor) (string, error) {
	if cloud.IsLabelValue(of.OriginalName) {
		return of.OriginalName, nil
	}
	if err := f.load(ctx); err != nil {
		return "", fmt.Errorf("listing flavors: %w", err)
	}
	for _, known := range f.all {
		switch {
		case of.ID != "" && known.ID == of.ID && cloud.IsLabelValue(known.Name):
			return known.Name, nil
		case of.ID == "" && known.Name == of.OriginalName:
			return cloud.LabelValue(known.ID), nil
		}
	}
	if of.ID != "" {
		return cloud.LabelValue(of.ID), nil
	}
	return cloud.LabelValue(of.OriginalName), nil
}

func (f *flavors) load(ctx context.Context) (err error) {
	if !f.read {
		f.all, err = api.ListAll[flavor](ctx, f.client, "flavors", "flavors", nil)
		f.read = err == nil
	}
	return err
}
