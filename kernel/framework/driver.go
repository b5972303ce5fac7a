package framework

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

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
	driver, err := construct(ctx, o)
	if err != nil {
		return nil, cloud.NotStarted(o.Provider.Descriptor.Name, err)
	}
	return decorate(o, driver), nil
}

// How long Open waits after a cloud that did not answer as its API does: at first, and at most.
const (
	openRetryFirst = time.Second
	openRetryLast  = 30 * time.Second
)

// construct calls the driver's constructor, again and again while what it fails with may pass: a restart of the process would not help.
func construct(ctx context.Context, o Options) (*cloud.Driver, error) {
	for wait := openRetryFirst; ; wait = min(2*wait, openRetryLast) {
		driver, err := o.Provider.New(ctx, o.Config)
		if err == nil || o.Waits == nil || ctx.Err() != nil || !cloud.MayPass(err) {
			return driver, err
		}
		o.Waits(err)
		klog.ErrorS(err, "The cloud does not answer as its API does, or refuses the credentials", "cloud", o.Config.Cloud, "advice", cloud.Advice(err), "retryAfter", wait)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// decorate puts what holds for all calls around a driver.
func decorate(o Options, driver *cloud.Driver) *Driver {
	return &Driver{options: o, cloud: run.Decorate(driver, run.Options{
		Name:        o.Config.Cloud,
		Descriptor:  o.Provider.Descriptor,
		Annotations: o.Provider.Annotations,
		Inventory:   o.Config.Inventory,
		Metrics:     Metrics(),
	})}
}
