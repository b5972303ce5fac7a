package testcloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

// perCall is how many machines moto is asked for at once.
const perCall = 200

func (a *amazon) Seed(ctx context.Context, n int, like Machine) ([]Machine, error) {
	if n >= fleetFrom {
		return a.fleet(ctx, n, like)
	}
	var all []Machine
	for n > len(all) {
		zone := a.number % 3
		count := min(perCall, n-len(all))
		if n < 3*perCall {
			count = min(count, max(1, n/3))
		}
		a.number++
		made, err := a.run(ctx, zone, int32(count), like)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	return all, nil
}

// run starts machines that are alike in one zone.
func (a *amazon) run(ctx context.Context, zone int, count int32, like Machine) ([]Machine, error) {
	tags := []types.Tag{aws.Owned(awsCluster)}
	if like.Name != "" {
		tags = append(tags, aws.Tag(aws.NameTag, like.Name))
	}
	input := &ec2.RunInstancesInput{
		ImageId: sdk.String("ami-12345678"), InstanceType: types.InstanceTypeM5Large, MinCount: &count, MaxCount: &count, SubnetId: &a.subnets[zone],
		SecurityGroupIds:  a.groups,
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeInstance, Tags: tags}},
	}
	if like.Internal != "" {
		input.PrivateIpAddress, input.SubnetId = &like.Internal, &a.subnets[0]
		zone = 0
	}
	answer, err := a.api.EC2.RunInstances(ctx, input)
	if err != nil {
		return nil, fmt.Errorf("starting %d machines: %w", count, err)
	}
	var all []Machine
	for i := range answer.Instances {
		instance := &answer.Instances[i]
		m := Machine{
			ID: *instance.InstanceId, Name: sdk.ToString(instance.PrivateDnsName), Region: aws.Region, Zone: awsZone(zone),
			Internal: sdk.ToString(instance.PrivateIpAddress), External: sdk.ToString(instance.PublicIpAddress),
		}
		m.ProviderID = "aws:///" + m.Zone + "/" + m.ID
		switch {
		case like.Name != "":
			m.Name = like.Name
		case m.Name == "": // moto tells it later
			m.Name, m.Given = m.ID, true
		}
		all = append(all, m)
	}
	return all, nil
}

// fleet has the proxy make many machines of one.
func (a *amazon) fleet(ctx context.Context, n int, like Machine) ([]Machine, error) {
	one, err := a.run(ctx, 0, 1, like)
	if err != nil {
		return nil, err
	}
	a.Fleet(n)
	var all []Machine
	for i := range n {
		m := one[0]
		m.ID, m.Name, m.Given = proxy.FleetID(i), fmt.Sprintf("fleet-%d", i), true
		m.ProviderID = "aws:///" + m.Zone + "/" + m.ID
		all = append(all, m)
	}
	return all, nil
}

func (a *amazon) Stop(ctx context.Context, m Machine) error {
	_, err := a.api.EC2.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{m.ID}})
	return err
}

func (a *amazon) Start(ctx context.Context, m Machine) error {
	_, err := a.api.EC2.StartInstances(ctx, &ec2.StartInstancesInput{InstanceIds: []string{m.ID}})
	return err
}

func (a *amazon) Remove(ctx context.Context, all ...Machine) error {
	var ids []string
	for _, m := range all {
		ids = append(ids, m.ID)
	}
	_, err := a.api.EC2.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: ids})
	return err
}

func (a *amazon) Rename(_ context.Context, m Machine, _ string) error {
	return fmt.Errorf("renaming %s: %w", m.ID, errors.ErrUnsupported)
}

// Balancers are the classic ones, and the network ones with the targets of all their groups.
func (a *amazon) Balancers(ctx context.Context) ([]Balancer, error) {
	classic, err := a.api.Classic.DescribeLoadBalancers(ctx, &elasticloadbalancing.DescribeLoadBalancersInput{})
	if err != nil {
		return nil, fmt.Errorf("reading classic load balancers: %w", err)
	}
	var all []Balancer
	for i := range classic.LoadBalancerDescriptions {
		lb := &classic.LoadBalancerDescriptions[i]
		one := Balancer{ID: *lb.LoadBalancerName, Name: *lb.LoadBalancerName, Active: true, Addresses: []string{sdk.ToString(lb.DNSName)}}
		for _, l := range lb.ListenerDescriptions {
			one.Listeners = append(one.Listeners, fmt.Sprintf("%s/%d", strings.ToLower(*l.Listener.Protocol), l.Listener.LoadBalancerPort))
		}
		for _, instance := range lb.Instances {
			one.Targets = append(one.Targets, *instance.InstanceId)
		}
		all = append(all, one)
	}
	network, err := a.networkBalancers(ctx)
	all = append(all, network...)
	for i := range all {
		slices.Sort(all[i].Listeners)
		slices.Sort(all[i].Targets)
		all[i].Targets = slices.Compact(all[i].Targets)
	}
	return all, err
}

func (a *amazon) networkBalancers(ctx context.Context) ([]Balancer, error) {
	api := a.api.Network
	found, err := api.DescribeLoadBalancers(ctx, &elasticloadbalancingv2.DescribeLoadBalancersInput{})
	if err != nil {
		return nil, fmt.Errorf("reading network load balancers: %w", err)
	}
	var all []Balancer
	for i := range found.LoadBalancers {
		lb := &found.LoadBalancers[i]
		one := Balancer{ID: *lb.LoadBalancerArn, Name: *lb.LoadBalancerName, Active: lb.State.Code == "active", Addresses: []string{sdk.ToString(lb.DNSName)}}
		listeners, err := api.DescribeListeners(ctx, &elasticloadbalancingv2.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn})
		if err != nil {
			return nil, fmt.Errorf("reading listeners: %w", err)
		}
		for _, l := range listeners.Listeners {
			one.Listeners = append(one.Listeners, fmt.Sprintf("%s/%d", strings.ToLower(string(l.Protocol)), *l.Port))
		}
		groups, err := api.DescribeTargetGroups(ctx, &elasticloadbalancingv2.DescribeTargetGroupsInput{LoadBalancerArn: lb.LoadBalancerArn})
		if err != nil {
			return nil, fmt.Errorf("reading target groups: %w", err)
		}
		for j := range groups.TargetGroups {
			health, err := api.DescribeTargetHealth(ctx, &elasticloadbalancingv2.DescribeTargetHealthInput{TargetGroupArn: groups.TargetGroups[j].TargetGroupArn})
			if err != nil {
				return nil, fmt.Errorf("reading targets: %w", err)
			}
			for _, target := range health.TargetHealthDescriptions {
				one.Targets = append(one.Targets, *target.Target.Id)
			}
		}
		all = append(all, one)
	}
	return all, nil
}
