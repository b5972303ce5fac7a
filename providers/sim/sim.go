package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/setting"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/static"
)

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name: "sim", Title: "Simulated cloud", Status: cloud.StatusTest,
		ProviderIDSchemes: []string{"sim"}, ProviderIDForm: "sim://<zone>/<machine id>",
		Capabilities: cloud.Capabilities{
			Balancers: true, Routes: true, Loopback: true,
			Protocols:    []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP},
			SourceRanges: true,
			Immutable:    []string{cloud.FieldScope, cloud.FieldDualStack},
			Fields: map[cloud.ServiceField]cloud.Use{
				cloud.ServiceNodePorts: {Handling: cloud.Partly, Note: "a cloud whose balancers are proxies refuses a Service without node ports; others pass packets through as they are"},
				cloud.ServiceAffinity:  {Handling: cloud.Used, Note: "the balancer chooses a node by the client's address, whatever its algorithm"},
				cloud.ServiceAddress:   {Handling: cloud.Ignored, Note: "this cloud chooses the addresses of its balancers"},
				cloud.ServiceFamilies:  {Handling: cloud.Partly, Note: "IPv4, also with IPv6 beside it; IPv6 alone is refused"},
			},
		},
		Limits:       cloud.Limits{PageSize: 100, GetBatch: 1},
		Variables:    cloud.Variables{Prefix: "SIM_"},
		Settings:     setting.Declared(),
		IDAnnotation: ID.Name,
	}
}

// Driver is the driver.
type Driver struct {
	client *api.Client
	static.Machines
}

// ownership tags are the labels that say whom an object belongs to.
const ownershipTags = cloud.OwnershipLabels("ccm-")

// Check returns what is wrong with the settings.
func Check(config cloud.Config) error {
	_, err := setting.Read(config.Lookup)
	return err
}

// New builds a driver for the world at SIM_ENDPOINT, or for an embedded one, to which it
// talks over HTTP like to any other and which runs until the process ends.
func New(_ context.Context, config cloud.Config) (*cloud.Driver, error) {
	s, err := setting.Read(config.Lookup)
	if err == nil {
		s.Endpoint, err = s.World()
	}
	if err != nil {
		return nil, err
	}
	client := &api.Client{
		Endpoint:  s.Endpoint,
		UserAgent: config.UserAgent,
		HTTP:      &http.Client{Transport: config.Transport},
		Token:     func() (string, error) { return config.Secret("SIM_TOKEN") },
	}
	d := &Driver{client, static.Machines{Enabled: s.Static}}
	return &cloud.Driver{
		Account: d, Operations: d,
		Machines:  cloud.MachineGroup{Instances: d, Describer: d},
		Balancers: &cloud.BalancerGroup{Whole: d, Replacer: d, OwnedLister: d},
		Routes:    &cloud.RouteGroup{Routes: d},
	}, nil
}

// Identity implements cloud.Account.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	account, err := d.client.Account(ctx)
	if err != nil {
		return cloud.Identity{}, fmt.Errorf("reading account: %w", err)
	}
	return cloud.Identity{Account: account.ID, Region: account.Region}, nil
}

// classes are what the refusals of the API mean. A code it does not have is unknown.
var classes = map[string]cloud.Class{
	api.CodeUnauthorized: cloud.FailureUnauthorized,
	api.CodeNotFound:     cloud.FailureNotFound,
	api.CodeConflict:     cloud.FailureConflict,
	api.CodeInvalid:      cloud.FailureInvalid,
	api.CodeQuota:        cloud.FailureQuota,
	api.CodeThrottled:    cloud.FailureThrottled,
	api.CodeInternal:     cloud.FailureTransient,
}

// Classify implements cloud.Account.
func (d *Driver) Classify(err error) cloud.Failure {
	failure, ok := errors.AsType[*api.Failure](err)
	if !ok {
		return cloud.FailureOf(err)
	}
	return cloud.Failure{Class: cmp.Or(classes[failure.Code], cloud.FailureUnknown), RetryAfter: failure.RetryAfter}
}
