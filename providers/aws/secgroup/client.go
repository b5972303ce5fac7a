// Package secgroup keeps the security groups of balancers and of the nodes behind them.
package secgroup

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Client is what is called of EC2.
type Client interface {
	DescribeSecurityGroups(context.Context, *ec2.DescribeSecurityGroupsInput, ...func(*ec2.Options)) (*ec2.DescribeSecurityGroupsOutput, error)
	CreateSecurityGroup(context.Context, *ec2.CreateSecurityGroupInput, ...func(*ec2.Options)) (*ec2.CreateSecurityGroupOutput, error)
	DeleteSecurityGroup(context.Context, *ec2.DeleteSecurityGroupInput, ...func(*ec2.Options)) (*ec2.DeleteSecurityGroupOutput, error)
	AuthorizeSecurityGroupIngress(context.Context, *ec2.AuthorizeSecurityGroupIngressInput, ...func(*ec2.Options)) (*ec2.AuthorizeSecurityGroupIngressOutput, error)
	RevokeSecurityGroupIngress(context.Context, *ec2.RevokeSecurityGroupIngressInput, ...func(*ec2.Options)) (*ec2.RevokeSecurityGroupIngressOutput, error)
	UpdateSecurityGroupRuleDescriptionsIngress(context.Context, *ec2.UpdateSecurityGroupRuleDescriptionsIngressInput, ...func(*ec2.Options)) (*ec2.UpdateSecurityGroupRuleDescriptionsIngressOutput, error)
	CreateTags(context.Context, *ec2.CreateTagsInput, ...func(*ec2.Options)) (*ec2.CreateTagsOutput, error)
}

// Groups reads and writes security groups.
type Groups struct {
	client  Client
	cluster tag.Cluster
	// clusterName is --cluster-name, a part of names upstream gives.
	clusterName string
	// LeaveNodes says that the security groups of nodes are not ours to change.
	LeaveNodes bool
}

// New returns the security groups of a cluster, which upstream's names know as clusterName.
func New(client Client, cluster tag.Cluster, clusterName string, leaveNodes bool) *Groups {
	return &Groups{client: client, cluster: cluster, clusterName: clusterName, LeaveNodes: leaveNodes}
}
