package balancer

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// At returns what a balancer with that host name is reached at.
func At(host *string) []cloud.BalancerAddress {
	if aws.ToString(host) == "" {
		return nil
	}
	return []cloud.BalancerAddress{{Hostname: *host}}
}

// Written is a kind of resources that are there with what they belong to, which a field names. One request writes the fields that
// change, all of them where it was not set before, and none where it goes.
func Written(kind string, belongs cloud.Field[cloud.Reference], write func(ctx context.Context, r cloud.Resource, fields []string) error) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kind,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			var fields []string
			for _, field := range wanted.Fields.Without(belongs).All() {
				fields = append(fields, field.Name())
			}
			return wanted.Key, write(ctx, wanted, fields)
		},
		Update: func(ctx context.Context, _, wanted cloud.Resource, fields []string) error {
			return write(ctx, wanted, fields)
		},
		Delete: func(ctx context.Context, present cloud.Resource) error { return write(ctx, present, nil) },
	}
}
