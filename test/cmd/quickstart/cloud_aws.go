package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	awsproxy "github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

const amazonCluster = "quickstart"

// amazon is an account in a moto server on this machine.
type amazon struct {
	server      *aws.Server
	front       *awsproxy.Proxy
	api         *ec2.Client
	vpc, subnet string
	group       string // the security group of the machines
	zone        string
	dir         string // holds the cloud.conf
	list        []machine
	ids         map[string]string // by name
}

func newAmazon(ctx context.Context, progress io.Writer) (*amazon, error) {
	fmt.Fprintln(progress, "==> starting moto, AWS's APIs in memory (half a minute the first time, with its installation)")
	server, err := aws.Start(ctx, progress)
	if err != nil {
		return nil, err
	}
	a := &amazon{server: server, ids: map[string]string{}}
	account := server.Account()
	a.api = server.Connect(account).EC2
	if a.front, err = awsproxy.Open(server.Transport(account)); err == nil {
		err = errors.Join(a.build(ctx), a.configure())
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// build makes a VPC with one public subnet, and the machines in it.
func (a *amazon) build(ctx context.Context) error {
	vpc, err := a.api.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: sdk.String("10.0.0.0/16")})
	if err != nil {
		return fmt.Errorf("making a VPC: %w", err)
	}
	a.vpc, a.zone = *vpc.Vpc.VpcId, aws.Region+"a"
	subnet, err := a.api.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: &a.vpc, CidrBlock: sdk.String("10.0.0.0/24"), AvailabilityZone: &a.zone})
	if err != nil {
		return fmt.Errorf("making a subnet: %w", err)
	}
	a.subnet = *subnet.Subnet.SubnetId
	if err := a.openToInternet(ctx); err != nil {
		return err
	}
	if err := a.protect(ctx); err != nil {
		return err
	}
	for _, name := range nodeNames {
		if err := a.boot(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// protect makes the security group of the machines, which the CCM opens to balancers as it has the cluster's tag.
func (a *amazon) protect(ctx context.Context) error {
	group, err := a.api.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
		GroupName: sdk.String("nodes"), Description: sdk.String("nodes"), VpcId: &a.vpc,
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeSecurityGroup, Tags: []types.Tag{aws.Owned(amazonCluster)}}},
	})
	if err != nil {
		return fmt.Errorf("making the security group of the machines: %w", err)
	}
	a.group = *group.GroupId
	return nil
}

// openToInternet gives the VPC's main route table a way out: that is what makes a subnet public.
func (a *amazon) openToInternet(ctx context.Context) error {
	gateway, err := a.api.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{})
	if err != nil {
		return fmt.Errorf("making an internet gateway: %w", err)
	}
	id := gateway.InternetGateway.InternetGatewayId
	if _, err := a.api.AttachInternetGateway(ctx, &ec2.AttachInternetGatewayInput{InternetGatewayId: id, VpcId: &a.vpc}); err != nil {
		return fmt.Errorf("attaching the internet gateway: %w", err)
	}
	tables, err := a.api.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{Filters: []types.Filter{{Name: sdk.String("vpc-id"), Values: []string{a.vpc}}}})
	if err != nil {
		return fmt.Errorf("reading the route tables: %w", err)
	}
	_, err = a.api.CreateRoute(ctx, &ec2.CreateRouteInput{RouteTableId: tables.RouteTables[0].RouteTableId, DestinationCidrBlock: sdk.String("0.0.0.0/0"), GatewayId: id})
	if err != nil {
		return fmt.Errorf("making the default route: %w", err)
	}
	return nil
}

func (a *amazon) boot(ctx context.Context, name string) error {
	answer, err := a.api.RunInstances(ctx, &ec2.RunInstancesInput{
		ImageId: sdk.String("ami-12345678"), InstanceType: types.InstanceTypeM5Large, MinCount: sdk.Int32(1), MaxCount: sdk.Int32(1), SubnetId: &a.subnet, SecurityGroupIds: []string{a.group},
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeInstance, Tags: []types.Tag{aws.Owned(amazonCluster), aws.Tag(aws.NameTag, name)}}},
	})
	if err != nil {
		return fmt.Errorf("starting machine %s: %w", name, err)
	}
	instance := answer.Instances[0]
	a.ids[name] = *instance.InstanceId
	m := machine{
		name: name, providerID: "aws:///" + a.zone + "/" + *instance.InstanceId, region: aws.Region, zone: a.zone,
		addresses: []string{sdk.ToString(instance.PrivateIpAddress)},
	}
	if public := sdk.ToString(instance.PublicIpAddress); public != "" {
		m.addresses = append(m.addresses, public)
	}
	a.list = append(a.list, m)
	return nil
}

// configure writes the cloud.conf.
func (a *amazon) configure() (err error) {
	if a.dir, err = os.MkdirTemp("", "mccm-quickstart-cloud-"); err != nil {
		return fmt.Errorf("making a folder for the cloud.conf: %w", err)
	}
	content := fmt.Sprintf("[Global]\nVPC = %s\nSubnetID = %s\nKubernetesClusterID = %s\nRegion = %s\n", a.vpc, a.subnet, amazonCluster, aws.Region)
	if err := os.WriteFile(a.file(), []byte(content), 0o600); err != nil {
		return fmt.Errorf("writing the cloud.conf: %w", err)
	}
	return nil
}

func (a *amazon) file() string { return filepath.Join(a.dir, "cloud.conf") }

func (a *amazon) provider() string { return "aws" }

func (a *amazon) title() string { return "moto, AWS's APIs in memory" }

func (a *amazon) env() []string {
	return []string{"AWS_ENDPOINT_URL=" + a.front.URL, "AWS_ACCESS_KEY_ID=" + aws.AccessKey, "AWS_SECRET_ACCESS_KEY=" + aws.SecretKey}
}

func (a *amazon) args() []string { return []string{"--cloud-config=" + a.file()} }

func (a *amazon) machines() []machine { return a.list }

func (a *amazon) stop(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	_, err := a.api.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{a.ids[name]}})
	return err
}

func (a *amazon) remove(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	_, err := a.api.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{a.ids[name]}})
	return err
}

func (a *amazon) hasAPI() bool { return true }

func (a *amazon) hasBalancers() bool { return true }

func (a *amazon) carriesTraffic() bool { return false }

func (a *amazon) door(string, int) string { return "" }

func (a *amazon) close() {
	if a.dir != "" {
		_ = os.RemoveAll(a.dir)
	}
	if a.front != nil {
		a.front.Close()
	}
	a.server.Stop()
}
