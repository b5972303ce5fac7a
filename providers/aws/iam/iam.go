// Package iam declares the IAM policies, one for each feature.
package iam

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Placeholders in policies, for what is known only where they are used.
const (
	placeCluster = "CLUSTER_ID"
	placeVPC     = "VPC_ID"
	placeRole    = "ROLE_ARN"
)

// Policy is an IAM policy document with the permissions of one feature, and no more.
type Policy struct {
	// Name is the name of the feature and the file.
	Name string `json:"-"`
	// Doc says when it is needed.
	Doc        string      `json:"-"`
	Version    string      `json:"Version"`
	Statements []Statement `json:"Statement"`
}

// Statement permits actions on resources.
type Statement struct {
	Effect    string    `json:"Effect"`
	Actions   []string  `json:"Action"`
	Resources []string  `json:"Resource"`
	Condition Condition `json:"Condition,omitempty"`
}

// Condition is operator, key, values.
type Condition map[string]map[string][]string

// allow permits operations of a service on resources, which are ARNs without their beginning, or
// on everything when there are none: what describes cannot be narrowed down.
func allow(service string, condition Condition, resources []string, operations ...string) Statement {
	s := Statement{Effect: "Allow", Condition: condition}
	for _, operation := range operations {
		s.Actions = append(s.Actions, service+":"+operation)
	}
	slices.Sort(s.Actions)
	for _, resource := range resources {
		s.Resources = append(s.Resources, "arn:*:"+service+":*:*:"+resource)
	}
	if resources == nil {
		s.Resources = []string{"*"}
	}
	return s
}

func describe(service string, operations ...string) Statement {
	return allow(service, nil, nil, operations...)
}

// Services as actions name them. Both kinds of balancers are one.
const (
	actEC2      = "ec2"
	actBalancer = "elasticloadbalancing"
)

// onlyTagged is what has the cluster's tag, with any value.
var onlyTagged = Condition{"Null": {"aws:ResourceTag/" + tag.ClusterPrefix + placeCluster: {"false"}}}

// onlyOwned is what was made for the cluster.
var onlyOwned = Condition{"StringEquals": {"aws:ResourceTag/" + tag.ClusterPrefix + placeCluster: {tag.Owned}}}

// onlyWithTag is what gets the cluster's tag when it is made.
var onlyWithTag = Condition{"StringEquals": {"aws:RequestTag/" + tag.ClusterPrefix + placeCluster: {tag.Owned}}}

// onlyOnCreate are tags of what is being made.
func onlyOnCreate(service string, operations ...string) Condition {
	return Condition{"StringEquals": {service + ":CreateAction": operations}}
}

// ARNs without their beginning.
var (
	groupARNs     = []string{"security-group/*"}
	vpcARNs       = []string{"vpc/*"}
	instanceARNs  = []string{"instance/*"}
	interfaceARNs = []string{"network-interface/*"}
	tableARNs     = []string{"route-table/*"}
	volumeARNs    = []string{"volume/*"}
	classicARNs   = []string{"loadbalancer/*"}
	networkARNs   = []string{"loadbalancer/net/*/*"}
	targetARNs    = []string{"targetgroup/*/*"}
	listenerARNs  = []string{"listener/net/*/*/*"}
)

// Policies are the permissions of every feature. A test compares them with the operations that
// this package calls.
func Policies() []Policy {
	all := []Policy{
		{Name: "nodes", Doc: "Always.", Statements: []Statement{
			// The owner of the default security group is the account, where STS does not answer.
			describe(actEC2, "DescribeInstances", "DescribeAvailabilityZones", "DescribeSecurityGroups"),
		}},
		{Name: "topology", Doc: "Labels of the network's topology.", Statements: []Statement{
			describe(actEC2, "DescribeInstanceTopology"),
		}},
		{Name: "fargate", Doc: "Nodes on AWS Fargate.", Statements: []Statement{
			describe(actEC2, "DescribeNetworkInterfaces"),
		}},
		{Name: "security-groups", Doc: "Balancers of both kinds, unless DisableSecurityGroupIngress is set and all groups are given.", Statements: securityGroupStatements()},
		{Name: "classic-balancers", Doc: "Classic Load Balancers.", Statements: classicStatements()},
		{Name: "network-balancers", Doc: "Network Load Balancers.", Statements: networkStatements()},
		{Name: "first-balancer", Doc: "The first balancer of an account only: AWS makes a role for them.", Statements: []Statement{{
			Effect: "Allow", Actions: []string{"iam:CreateServiceLinkedRole"}, Resources: []string{"*"},
			Condition: Condition{"StringEquals": {"iam:AWSServiceName": {"elasticloadbalancing.amazonaws.com"}}},
		}}},
		{Name: "routes", Doc: "The route controller.", Statements: routeStatements()},
		{Name: "tagging", Doc: "The tagging controller. Instances need the cluster's tag for it, volumes of `--resources=volume` do not: leave out the statement about them where it is not used.", Statements: []Statement{
			allow(actEC2, onlyTagged, instanceARNs, "CreateTags", "DeleteTags"),
			// Root volumes have no tags as a rule, and one without made EC2 refuse the whole batch.
			allow(actEC2, nil, volumeARNs, "CreateTags", "DeleteTags"),
		}},
		{Name: "assume-role", Doc: "RoleARN, for the credentials that take that role on. Its trust policy has to let them.", Statements: []Statement{{
			Effect: "Allow", Actions: []string{"sts:AssumeRole"}, Resources: []string{placeRole},
		}}},
	}
	for i := range all {
		all[i].Version = "2012-10-17"
	}
	return all
}

func securityGroupStatements() []Statement {
	return []Statement{
		describe(actEC2, "DescribeSecurityGroups"),
		allow(actEC2, nil, vpcARNs, "CreateSecurityGroup"),
		allow(actEC2, onlyWithTag, groupARNs, "CreateSecurityGroup"),
		allow(actEC2, onlyOnCreate(actEC2, "CreateSecurityGroup"), groupARNs, "CreateTags"),
		allow(actEC2, onlyTagged, groupARNs, "AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress", "UpdateSecurityGroupRuleDescriptionsIngress"),
		allow(actEC2, onlyOwned, groupARNs, "DeleteSecurityGroup"),
	}
}

func classicStatements() []Statement {
	return []Statement{
		describe(actEC2, "DescribeSubnets", "DescribeRouteTables", "DescribeAvailabilityZones"),
		describe(actBalancer, "DescribeLoadBalancers", "DescribeLoadBalancerAttributes", "DescribeTags"),
		allow(actBalancer, onlyWithTag, classicARNs, "CreateLoadBalancer"),
		allow(actBalancer, onlyOnCreate(actBalancer, "CreateLoadBalancer"), classicARNs, "AddTags"),
		allow(actBalancer, onlyOwned, classicARNs,
			"AddTags", "RemoveTags", "DeleteLoadBalancer", "ModifyLoadBalancerAttributes", "ConfigureHealthCheck",
			"CreateLoadBalancerListeners", "DeleteLoadBalancerListeners", "SetLoadBalancerListenerSSLCertificate",
			"CreateLoadBalancerPolicy", "SetLoadBalancerPoliciesOfListener", "SetLoadBalancerPoliciesForBackendServer",
			"AttachLoadBalancerToSubnets", "DetachLoadBalancerFromSubnets", "ApplySecurityGroupsToLoadBalancer",
			"RegisterInstancesWithLoadBalancer", "DeregisterInstancesFromLoadBalancer"),
	}
}

func networkStatements() []Statement {
	return []Statement{
		describe(actEC2, "DescribeSubnets", "DescribeRouteTables", "DescribeAvailabilityZones", "DescribeAddresses"),
		describe(actBalancer, "DescribeLoadBalancers", "DescribeLoadBalancerAttributes", "DescribeListeners", "DescribeListenerAttributes",
			"DescribeListenerCertificates", "DescribeTargetGroups", "DescribeTargetGroupAttributes", "DescribeTargetHealth", "DescribeTags"),
		allow(actBalancer, onlyWithTag, slices.Concat(networkARNs, targetARNs), "CreateLoadBalancer", "CreateTargetGroup"),
		allow(actBalancer, onlyOnCreate(actBalancer, "CreateLoadBalancer", "CreateTargetGroup"), slices.Concat(networkARNs, targetARNs), "AddTags"),
		allow(actBalancer, onlyOwned, slices.Concat(networkARNs, targetARNs), "AddTags", "RemoveTags"),
		allow(actBalancer, onlyOwned, networkARNs,
			"CreateListener", "DeleteLoadBalancer", "ModifyLoadBalancerAttributes", "SetSecurityGroups", "SetSubnets", "SetIpAddressType"),
		allow(actBalancer, onlyOwned, targetARNs,
			"ModifyTargetGroup", "ModifyTargetGroupAttributes", "DeleteTargetGroup", "RegisterTargets", "DeregisterTargets"),
		// Listeners that upstream made may have no tags.
		allow(actBalancer, nil, listenerARNs,
			"AddTags", "RemoveTags", "ModifyListener", "ModifyListenerAttributes", "DeleteListener", "AddListenerCertificates", "RemoveListenerCertificates"),
	}
}

func routeStatements() []Statement {
	return []Statement{
		describe(actEC2, "DescribeRouteTables", "DescribeInstances"),
		allow(actEC2, onlyTagged, tableARNs, "CreateRoute", "ReplaceRoute", "DeleteRoute"),
		allow(actEC2, onlyTagged, instanceARNs, "ModifyInstanceAttribute"),
		// Interfaces have no tags as a rule.
		allow(actEC2, Condition{"ArnLike": {"ec2:Vpc": {"arn:*:ec2:*:*:vpc/" + placeVPC}}}, interfaceARNs, "ModifyNetworkInterfaceAttribute"),
	}
}
