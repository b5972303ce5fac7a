package nova

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

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
