package server

import (
	"context"
	"errors"
	"fmt"
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
	servers, err := m.servers(ctx, "")
	if err != nil {
		return cloud.InstanceList{}, err
	}
	list := cloud.InstanceList{Complete: servers.Complete}
	for _, s := range servers.Items {
		list.Items = append(list.Items, m.fromCloud(s))
	}
	if m.Robot == nil {
		return list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, robotTime)
	defer cancel()
	all, err := m.Robot.Servers(ctx)
	list.Complete, list.Err = list.Complete && err == nil, err
	for _, s := range all {
		list.Items = append(list.Items, m.fromRobot(s))
	}
	return list, nil
}

// servers reads the cloud servers of a name, or all of them for "".
func (m *Machines) servers(ctx context.Context, name string) (api.Listing[*hcloud.Server], error) {
	all, err := api.Pages(func(opts hcloud.ListOpts) ([]*hcloud.Server, *hcloud.Response, error) {
		return m.API.Server.List(ctx, hcloud.ServerListOpts{ListOpts: opts, Name: name})
	})
	for _, s := range all.Items {
		if s.ID == 0 {
			return all, fmt.Errorf("listing servers: %w", cloud.ErrIncomplete)
		}
	}
	if err != nil {
		return all, api.Failed("listing servers", err)
	}
	return all, nil
}

// errNoCredentials is about dedicated servers whose Node is not described, such as one that is gone.
var errNoCredentials = errors.New("there are no credentials for Robot, so nobody knows of dedicated servers")

// Get implements cloud.Instances.
func (m *Machines) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		number, isDedicated, err := Number(id)
		if err != nil {
			return nil, err
		}
		i, exists, err := m.get(ctx, number, isDedicated)
		if err != nil {
			return nil, err
		}
		if exists && i.ID == id { // a dedicated server may have another name
			found[id] = i
		}
	}
	return found, nil
}

func (m *Machines) get(ctx context.Context, number int64, isDedicated bool) (i cloud.Instance, exists bool, err error) {
	if isDedicated {
		return m.getDedicated(ctx, int(number))
	}
	doing := fmt.Sprintf("reading the server %d", number)
	s, _, err := m.API.Server.GetByID(ctx, number)
	switch {
	case err != nil:
		return i, false, api.Failed(doing, err)
	case s == nil:
		return i, false, nil
	case s.ID != number:
		return i, false, fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
	}
	return m.fromCloud(s), true, nil
}

// getDedicated reads a dedicated server together with its power state.
func (m *Machines) getDedicated(ctx context.Context, number int) (i cloud.Instance, exists bool, err error) {
	if m.Robot == nil {
		return i, false, errNoCredentials
	}
	s, err := m.Robot.Server(ctx, number)
	if cloud.IsClass(err, cloud.FailureNotFound) {
		return i, false, nil
	}
	if err != nil {
		return i, false, err
	}
	off := false
	if s.Reset == nil || *s.Reset { // else nothing tells whether it is off
		if off, err = m.Robot.ShutOff(ctx, number); err != nil {
			return i, false, err
		}
	}
	i = m.fromRobot(s)
	i.State = cloud.StateRunning
	if off {
		i.State = cloud.StateStopped
	}
	return i, true, nil
}

// FindByName implements cloud.Instances. One server is no answer while Robot cannot be asked, which may
// have another one of that name.
func (m *Machines) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	servers, err := m.servers(ctx, name)
	if err != nil {
		return nil, err
	}
	var found []cloud.Instance
	for _, s := range servers.Items {
		if s.Name == name {
			found = append(found, m.fromCloud(s))
		}
	}
	if m.Robot == nil {
		return found, nil
	}
	all, err := m.Robot.Servers(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Name == name {
			found = append(found, m.fromRobot(s))
		}
	}
	return found, nil
}
