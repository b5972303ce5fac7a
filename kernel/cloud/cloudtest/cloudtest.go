// Package cloudtest makes drivers of fakes.
package cloudtest

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Driver returns a driver of which one fake is every member that it implements, so that a test can add one with a method. Its machines
// are what its method Instances returns, or itself, and its defaults what Defaults does.
func Driver(fake cloud.Account) *cloud.Driver {
	driver := &cloud.Driver{Account: fake, Machines: machines(fake), Balancers: balancers(fake)}
	if all, ok := fake.(cloud.Routes); ok {
		driver.Routes = &cloud.RouteGroup{Routes: all, RouteScope: member[cloud.RouteScope](fake)}
	}
	driver.Operations = member[cloud.Operations](fake)
	driver.Firewalls = member[cloud.Firewalls](fake)
	driver.Tagger = member[cloud.Tagger](fake)
	return driver
}

func machines(fake any) cloud.MachineGroup {
	group := cloud.MachineGroup{
		Instances:       member[cloud.Instances](fake),
		ProviderIDScope: member[cloud.ProviderIDScope](fake),
		Partition:       member[cloud.Partition](fake),
		NodeIdentity:    member[cloud.NodeIdentity](fake),
		Namer:           member[cloud.Namer](fake),
		Describer:       member[cloud.Describer](fake),
		Completer:       member[cloud.Completer](fake),
		Labeler:         member[cloud.Labeler](fake),
	}
	if other, ok := fake.(interface{ Instances() cloud.Instances }); ok {
		group.Instances = other.Instances()
	}
	return group
}

func balancers(fake any) *cloud.BalancerGroup {
	if member[cloud.BalancerReader](fake) == nil {
		return nil
	}
	group := &cloud.BalancerGroup{
		Whole:       member[cloud.Balancers](fake),
		Composite:   member[cloud.Composite](fake),
		TargetLimit: member[cloud.TargetLimit](fake),
		Reach:       member[cloud.Reach](fake),
		Validator:   member[cloud.Validator](fake),
		Checker:     member[cloud.Checker](fake),
		Recorder:    member[cloud.Recorder](fake),
		Replacer:    member[cloud.Replacer](fake),
		BulkLister:  member[cloud.BulkLister](fake),
		OwnedLister: member[cloud.OwnedLister](fake),
	}
	if values, ok := fake.(interface{ Defaults() map[string]string }); ok {
		group.Defaults = values.Defaults()
	}
	return group
}

// member returns the fake as T, nil where it does not implement it.
func member[T any](fake any) T {
	implemented, _ := fake.(T)
	return implemented
}
