package balancer

import (
	"context"
	"maps"
	"slices"

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
func Written(kind, belongs string, write func(ctx context.Context, r cloud.Resource, fields []string) error) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kind,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			fields := slices.DeleteFunc(slices.Sorted(maps.Keys(wanted.Fields)), func(f string) bool { return f == belongs })
			return wanted.Key, write(ctx, wanted, fields)
		},
		Update: func(ctx context.Context, _, wanted cloud.Resource, fields []string) error {
			return write(ctx, wanted, fields)
		},
		Delete: func(ctx context.Context, present cloud.Resource) error { return write(ctx, present, nil) },
	}
}

// Text returns a field of a resource.
func Text(r cloud.Resource, field string) *string {
	value, _ := r.Fields[field].(string)
	return &value
}
