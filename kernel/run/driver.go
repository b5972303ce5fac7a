package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

type decoratedDriver struct {
	*caller
	next cloud.Driver
}

var _ cloud.Driver = (*decoratedDriver)(nil)

func (d *decoratedDriver) Identity(ctx context.Context) (cloud.Identity, error) {
	return call(ctx, d.caller, opIdentity, d.next.Identity)
}

// Classify knows the errors of decorated calls too.
func (d *decoratedDriver) Classify(err error) cloud.Failure { return d.failure(err) }

func (d *decoratedDriver) Instances() cloud.Instances {
	return &instances{caller: d.caller, next: d.next.Instances()}
}
