package aws

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Identity implements cloud.Driver: the account the credentials are for.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	account, err := d.account(ctx)
	if err != nil {
		return cloud.Identity{}, err
	}
	if account == "" {
		return cloud.Identity{}, fmt.Errorf("reading the account: %w", errUnreadable)
	}
	return cloud.Identity{Account: account, Region: d.config.region}, nil
}

// account returns the id of the account, always in the way that was found at the start: two
// ways can have different answers, and then the account would seem to change.
func (d *Driver) account(ctx context.Context) (string, error) {
	if d.isolated {
		return d.vpcOwner(ctx)
	}
	return d.caller(ctx)
}

// caller asks STS whose the credentials are, which needs no permission.
func (d *Driver) caller(ctx context.Context) (string, error) {
	answer, err := d.tokens.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", fmt.Errorf("reading whose the credentials are: %w", err)
	}
	return aws.ToString(answer.Account), nil
}

// vpcOwner returns the account that owns the default security group of the VPC. Every VPC has one.
func (d *Driver) vpcOwner(ctx context.Context) (string, error) {
	answer, err := d.compute.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{
		{Name: aws.String("vpc-id"), Values: []string{d.config.vpc}}, {Name: aws.String("group-name"), Values: []string{"default"}},
	}})
	if err != nil {
		return "", fmt.Errorf("reading the owner of %s: %w", d.config.vpc, err)
	}
	for _, group := range answer.SecurityGroups {
		return aws.ToString(group.OwnerId), nil
	}
	return "", nil
}

// detectIsolation finds out whether STS answers here. A VPC without a way out may have endpoints
// for the other services only.
func (d *Driver) detectIsolation(ctx context.Context) error {
	_, err := d.caller(ctx)
	if _, credentials := errors.AsType[*credentialError](err); err == nil || credentials || !cloud.NoAnswer(err) {
		return err
	}
	d.isolated = true
	if _, other := d.vpcOwner(ctx); other != nil {
		return errors.Join(err, other)
	}
	return nil
}
