package openstack

import (
	"context"
	"errors"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TEMPORARY: the branch with machines replaces this file.

var errStub = errors.New("not written yet")

// ParseProviderID implements cloud.Instances.
func (d *Driver) ParseProviderID(string) (cloud.InstanceID, error) { return "", errStub }

// List implements cloud.Instances.
func (d *Driver) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{}, errStub
}

// Get implements cloud.Instances.
func (d *Driver) Get(context.Context, ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return nil, errStub
}

// FindByName implements cloud.Instances.
func (d *Driver) FindByName(context.Context, string) ([]cloud.Instance, error) { return nil, errStub }
