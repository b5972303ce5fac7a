package framework

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// Driver is a cloud's driver with our limits around its requests. It is in no cluster yet.
type Driver struct {
	options Options
	cloud   *run.Cloud
}

// Open builds the driver. Standby replicas do so too: it asks nothing, except what the driver's constructor
// validates.
func Open(ctx context.Context, o Options) (*Driver, error) {
	o.Tuning = o.Tuning.withDefaults()
	o.ClusterID = cmp.Or(o.ClusterID, o.Config.ClusterName)
	if o.ClusterID == "" {
		return nil, errors.New("the cluster id is empty: set the cluster name")
	}
	name := cmp.Or(o.Config.Cloud, o.Provider.Descriptor.Name)
	o.Config.Cloud = name
	if setting := o.Provider.Descriptor.Limits.QPSSetting; setting != "" && o.Tuning.QPS == 0 {
		// The driver's constructor refuses a value that is no number.
		o.Tuning.QPS, _ = strconv.ParseFloat(cmp.Or(o.Config.Lookup(setting), "0"), 64)
	}
	o.Config.Warn = func(message string) { klog.InfoS("Look at the configuration", "cloud", name, "warning", message) }
	for _, message := range o.Warnings {
		o.Config.Warn(message)
	}
	limited := transport.New(o.Config.Transport, transport.Options{
		Cloud:     name,
		Limits:    o.Provider.Descriptor.Limits,
		QPS:       o.Tuning.QPS,
		Metrics:   Metrics(),
		DryRun:    o.Mode.ReadOnly(),
		ReadOnly:  o.Provider.ReadOnly,
		API:       o.Provider.API,
		Throttled: o.Provider.Throttled,
		Warn:      o.Config.Warn,
		UserAgent: o.Config.UserAgent,
	})
	o.Config.Transport, o.Config.WithTLS = limited, limited.WithTLS
	driver, err := o.Provider.New(ctx, o.Config)
	if err != nil {
		return nil, cloud.NotStarted(o.Provider.Descriptor.Name, err)
	}
	return decorate(o, driver), nil
}

// decorate puts what holds for all calls around a driver.
func decorate(o Options, driver cloud.Driver) *Driver {
	return &Driver{options: o, cloud: run.Decorate(driver, run.Options{
		Name:        o.Config.Cloud,
		Descriptor:  o.Provider.Descriptor,
		Annotations: o.Provider.Annotations,
		Metrics:     Metrics(),
	})}
}
