package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Account is the account that the credentials are for.
type Account struct {
	Clients
	Region  string
	Cluster tag.Cluster
	// isolated says that STS does not answer here.
	isolated bool
}

// NewAccount finds out in which way the account is read.
func NewAccount(ctx context.Context, c Clients, region string, cluster tag.Cluster) (*Account, error) {
	a := &Account{Clients: c, Region: region, Cluster: cluster}
	return a, a.detectIsolation(ctx)
}

// Identity implements cloud.Account: the account the credentials are for. It is always read in the way
// that was found at the start: two ways can have different answers, and then the account would seem to
// change.
func (a *Account) Identity(ctx context.Context) (cloud.Identity, error) {
	read := a.caller
	if a.isolated {
		read = a.vpcOwner
	}
	account, err := read(ctx)
	if err == nil && account == "" {
		err = fmt.Errorf("reading the account: %w", cloud.ErrIncomplete)
	}
	if err != nil {
		return cloud.Identity{}, err
	}
	return cloud.Identity{Account: account, Region: a.Region}, nil
}

// caller asks STS whose the credentials are, which needs no permission.
func (a *Account) caller(ctx context.Context) (string, error) {
	answer, err := a.tokens.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", fmt.Errorf("reading whose the credentials are: %w", err)
	}
	return aws.ToString(answer.Account), nil
}

// vpcOwner returns the account that owns the default security group of the VPC. Every VPC has one.
func (a *Account) vpcOwner(ctx context.Context) (string, error) {
	answer, err := a.Compute.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{filter.InVPC(a.Cluster), filter.By("group-name", "default")}})
	if err != nil {
		return "", fmt.Errorf("reading the owner of %s: %w", a.Cluster.VPC, err)
	}
	for _, group := range answer.SecurityGroups {
		return aws.ToString(group.OwnerId), nil
	}
	return "", nil
}

// detectIsolation finds out whether STS answers here. A VPC without a way out may have endpoints
// for the other services only.
func (a *Account) detectIsolation(ctx context.Context) error {
	_, err := a.caller(ctx)
	if _, none := errors.AsType[*failure.CredentialError](err); none {
		return err
	}
	if !cloud.NoAnswer(err) {
		// Also a refusal comes from STS. The program says it when it asks again, and goes on once the
		// credentials are renewed.
		return nil
	}
	a.isolated = true
	if _, other := a.vpcOwner(ctx); other != nil {
		return errors.Join(err, other)
	}
	return nil
}
