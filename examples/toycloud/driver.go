package toycloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Descriptor returns the static facts of the provider.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "toycloud",
		Title:             "Toy cloud",
		Status:            cloud.StatusTest,
		ProviderIDSchemes: []string{"toy"},
		ProviderIDForm:    "toy://<machine id>",
		Capabilities: cloud.Capabilities{
			Balancers: true,
			Protocols: []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP},
			NodePorts: true,
			Immutable: []string{cloud.FieldScope},
			Fields: map[cloud.ServiceField]cloud.Use{
				cloud.ServiceAffinity: {Handling: cloud.Ignored, Note: "this cloud does not know clients by their address"},
				cloud.ServiceAddress:  {Handling: cloud.Ignored, Note: "this cloud chooses the addresses of its balancers"},
				cloud.ServiceFamilies: {Handling: cloud.Partly, Note: "IPv4 only"},
			},
		},
		Limits: cloud.Limits{PageSize: 50, GetBatch: 1},
		Settings: []cloud.Setting{
			{Name: "TOYCLOUD_ENDPOINT", Required: true, Doc: "URL of the API.", Value: "endpoint"},
			{Name: "TOYCLOUD_TOKEN", Required: true, Secret: true, Doc: "Token of the API.", Value: "token", Key: "token"},
		},
		IDAnnotation: ID.Name,
	}
}

// Driver implements each member of the driver.
type Driver struct{ client *api.Client }

// New builds a driver.
func New(_ context.Context, config cloud.Config) (*cloud.Driver, error) {
	d := &Driver{&api.Client{
		Endpoint:  config.Lookup("TOYCLOUD_ENDPOINT"),
		UserAgent: config.UserAgent,
		HTTP:      &http.Client{Transport: config.Transport},
		Token:     func() (string, error) { return config.Secret("TOYCLOUD_TOKEN") },
	}}
	return &cloud.Driver{
		Account:   d,
		Machines:  cloud.MachineGroup{Instances: d},
		Balancers: &cloud.BalancerGroup{Composite: d},
	}, nil
}

// Identity implements cloud.Account.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	account, err := d.client.Account(ctx)
	if err != nil {
		return cloud.Identity{}, fmt.Errorf("reading account: %w", err)
	}
	return cloud.Identity{Account: account.ID}, nil
}

// Classify implements cloud.Account. A 404 that is not the API's, such as a proxy's, proves nothing.
func (d *Driver) Classify(err error) cloud.Failure {
	refusal, ok := errors.AsType[*api.Failure](err)
	if !ok {
		return cloud.OtherFailure(err)
	}
	class := cloud.ClassOfStatus(refusal.Status)
	switch {
	case refusal.Code == api.CodeQuota:
		class = cloud.FailureQuota
	case refusal.Status == http.StatusNotFound && refusal.Code == api.CodeNotFound:
		class = cloud.FailureNotFound
	}
	return cloud.Failure{Class: class, RetryAfter: refusal.RetryAfter}
}
