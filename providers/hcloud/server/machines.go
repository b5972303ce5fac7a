package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/robot"
)

// Machines are the servers of a project and the dedicated servers of an account.
type Machines struct {
	API *hcloud.Client
	// Robot is nil where dedicated servers cannot be asked for.
	Robot    *robot.Client
	Settings config.Settings
	// Network is the id of the network whose addresses are internal, 0 for none.
	Network int64
}

// robotTime is how long a list waits for Robot, whose limit is small: who waits for cloud servers must not.
const robotTime = 5 * time.Second

// List implements cloud.Instances. While Robot cannot be asked the list is incomplete: the cloud servers
// are found all the same.
func (m *Machines) List(ctx context.Context) (cloud.InstanceList, error) {
	return m.machines(ctx, "", robotTime)
}

// machines reads the cloud servers of a name, or all of them for "", and all dedicated servers. It waits as long for
// these; why they are not known is in the list.
func (m *Machines) machines(ctx context.Context, name string, robot time.Duration) (list cloud.InstanceList, err error) {
	servers, err := m.servers(ctx, name)
	if err != nil {
		return list, err
	}
	list.Items, list.Complete = servers.Items, servers.Complete
	if m.Robot == nil {
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, robot)
	defer cancel()
	all, err := m.Robot.Servers(ctx)
	list.Complete, list.Err = list.Complete && err == nil, err
	for _, s := range all {
		list.Items = append(list.Items, m.fromRobot(s))
	}
	return list, nil
}

// servers reads the cloud servers of a name, or all of them for "". Of a page no more is kept than the machines: each server has the prices of its
// type in all locations.
func (m *Machines) servers(ctx context.Context, name string) (cloud.Listing[cloud.Instance], error) {
	all, err := api.Pages(func(opts hcloud.ListOpts) ([]cloud.Instance, *hcloud.Response, error) {
		page, response, err := m.API.Server.List(ctx, hcloud.ServerListOpts{ListOpts: opts, Name: name})
		if err != nil || page == nil {
			return nil, response, err
		}
		machines := make([]cloud.Instance, len(page))
		for n, s := range page {
			if s.ID == 0 {
				return nil, response, cloud.ErrIncomplete
			}
			machines[n] = m.fromCloud(s)
		}
		return machines, response, nil
	})
	if err != nil {
		return all, api.Failed("listing servers", err)
	}
	return all, nil
}

// errNoCredentials is about dedicated servers whose Node is not described, such as one that is gone.
var errNoCredentials = errors.New("there are no credentials for Robot, so nobody knows of dedicated servers")

// Get implements cloud.Instances.
func (m *Machines) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return cloud.GetEach(ids, func(id cloud.InstanceID) (i cloud.Instance, err error) {
		number, isDedicated, err := Number(id)
		switch {
		case err != nil:
			return i, err
		case isDedicated: // it may have another name, and so another id
			return m.getDedicated(ctx, int(number))
		}
		doing := fmt.Sprintf("reading the server %d", number)
		s, _, err := m.API.Server.GetByID(ctx, number)
		switch {
		case err != nil:
			return i, api.Failed(doing, err)
		case s == nil:
			return i, nil
		case s.ID != number:
			return i, fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
		}
		return m.fromCloud(s), nil
	})
}

// getDedicated reads a dedicated server together with its power state.
func (m *Machines) getDedicated(ctx context.Context, number int) (i cloud.Instance, err error) {
	if m.Robot == nil {
		return i, errNoCredentials
	}
	s, err := m.Robot.Server(ctx, number)
	if cloud.IsClass(err, cloud.FailureNotFound) {
		return i, nil
	}
	if err != nil {
		return i, err
	}
	state := cloud.StateRunning
	if s.Reset == nil || *s.Reset { // else nothing tells whether it is off
		switch off, err := m.Robot.ShutOff(ctx, number); {
		case err != nil:
			return i, err
		case off:
			state = cloud.StateStopped
		}
	}
	i = m.fromRobot(s)
	i.State = state
	return i, nil
}

// FindByName implements cloud.Instances. One server is no answer while Robot cannot be asked, which may
// have another one of that name.
func (m *Machines) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	found, err := m.machines(ctx, name, cloud.CallTimeout)
	if err = cmp.Or(err, found.Err); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found.Items, func(i cloud.Instance) bool { return i.Name != name }), nil
}
