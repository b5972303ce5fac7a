package testcloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

func init() {
	register("aws", Maker{Missing: aws.Missing, Open: openAmazon, Facts: (*amazon)(nil).Facts})
}

// amazon is an account in a moto server, AWS's APIs in memory, behind a proxy.
type amazon struct {
	*proxy.Proxy

	server  *aws.Server
	account atomic.Pointer[aws.Transport]
	api     aws.Clients
	vpc     string
	subnets []string // one in each zone
	grouped bool
	groups  []string // of the machines
	dir     string   // holds the cloud.conf
	number  int
}

const (
	awsCluster = "lab"
	awsSecret  = "aws-key-that-must-stay-secret"
	// fleetFrom is the number of machines from which they are copies in the proxy's answers.
	fleetFrom = 1500
)

func openAmazon(ctx context.Context, o Options) (Cloud, error) {
	server, err := aws.Start(ctx, o.Progress)
	if err != nil {
		return nil, err
	}
	a := &amazon{server: server, grouped: o.Grouped}
	a.Proxy, err = proxy.Open(a)
	if err != nil {
		server.Stop()
		return nil, err
	}
	if a.dir, err = os.MkdirTemp("", "testcloud-aws-"); err == nil {
		err = a.renew(ctx)
	}
	a.SetLatency(o.Latency)
	return a, err
}

// RoundTrip carries the proxy's requests to the present account.
func (a *amazon) RoundTrip(r *http.Request) (*http.Response, error) {
	return a.account.Load().RoundTrip(r)
}

// renew makes an account with a VPC that a cluster can be in, and writes the cloud.conf.
func (a *amazon) renew(ctx context.Context) error {
	account := a.server.Account()
	if old := a.account.Swap(a.server.Transport(account)); old != nil {
		old.CloseIdleConnections()
	}
	a.api, a.subnets = a.server.Connect(account), nil
	vpc, err := a.api.EC2.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: sdk.String("10.0.0.0/16")})
	if err != nil {
		return fmt.Errorf("making a VPC: %w", err)
	}
	a.vpc = *vpc.Vpc.VpcId
	for zone := range 3 {
		subnet, err := a.api.EC2.CreateSubnet(ctx, &ec2.CreateSubnetInput{
			VpcId: &a.vpc, CidrBlock: sdk.String(fmt.Sprintf("10.0.%d.0/20", 16*zone)), AvailabilityZone: sdk.String(awsZone(zone)),
			TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeSubnet, Tags: []types.Tag{aws.Shared(awsCluster)}}},
		})
		if err != nil {
			return fmt.Errorf("making a subnet: %w", err)
		}
		a.subnets = append(a.subnets, *subnet.Subnet.SubnetId)
	}
	return errors.Join(a.makeGroup(ctx), a.openToInternet(ctx), a.configure())
}

// makeGroup makes the security group of the machines.
func (a *amazon) makeGroup(ctx context.Context) error {
	if a.groups = nil; !a.grouped {
		return nil
	}
	group, err := a.api.EC2.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{
		VpcId: &a.vpc, GroupName: sdk.String("nodes"), Description: sdk.String("nodes"),
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeSecurityGroup, Tags: []types.Tag{aws.Owned(awsCluster)}}},
	})
	if err != nil {
		return fmt.Errorf("making a security group: %w", err)
	}
	a.groups = []string{*group.GroupId}
	return nil
}

func awsZone(n int) string { return aws.Region + string(rune('a'+n)) }

// openToInternet gives the VPC's main route table a way out: that is what makes a subnet public.
func (a *amazon) openToInternet(ctx context.Context) error {
	api := a.api.EC2
	gateway, err := api.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{})
	if err != nil {
		return fmt.Errorf("making an internet gateway: %w", err)
	}
	id := gateway.InternetGateway.InternetGatewayId
	if _, err := api.AttachInternetGateway(ctx, &ec2.AttachInternetGatewayInput{InternetGatewayId: id, VpcId: &a.vpc}); err != nil {
		return fmt.Errorf("attaching the internet gateway: %w", err)
	}
	tables, err := api.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{Filters: []types.Filter{{Name: sdk.String("vpc-id"), Values: []string{a.vpc}}}})
	if err != nil {
		return fmt.Errorf("reading the route tables: %w", err)
	}
	_, err = api.CreateRoute(ctx, &ec2.CreateRouteInput{RouteTableId: tables.RouteTables[0].RouteTableId, DestinationCidrBlock: sdk.String("0.0.0.0/0"), GatewayId: id})
	if err != nil {
		return fmt.Errorf("making the default route: %w", err)
	}
	return nil
}

func (a *amazon) configure() error {
	content := fmt.Sprintf("[Global]\nVPC = %s\nSubnetID = %s\nKubernetesClusterID = %s\nRegion = %s\n", a.vpc, a.subnets[0], awsCluster, aws.Region)
	if err := os.WriteFile(a.file(), []byte(content), 0o600); err != nil {
		return fmt.Errorf("writing the cloud.conf: %w", err)
	}
	return nil
}

func (a *amazon) file() string { return filepath.Join(a.dir, "cloud.conf") }

func (a *amazon) Title() string { return "moto, AWS's APIs in memory" }

func (a *amazon) Facts() Facts {
	const instances = "/ec2/DescribeInstances"
	return Facts{
		Provider: "aws", List: "GET " + instances, Page: 1000, Beside: 1, Details: 100,
		Create:   []string{"POST /elb/CreateLoadBalancer", "POST /elbv2/CreateLoadBalancer"},
		Machines: instances, Machine: instances, All: "/**", AtOnce: 2, BareIDs: true, Unrecorded: true, MostBehind: fleetFrom,
		// EC2 documents a bucket of requests for each call, of which the smallest, for what changes something, holds 50 and gets back
		// five a second (docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html). That those of load balancers are not smaller is a guess:
		// their limits are unpublished.
		Quota: rate.Quota{Burst: 50, PerSecond: 5},
		// A security group can be deleted a while after its load balancer, and tags are read with each list.
		DeletionReads: 6,
		Lacks: map[Ability]string{
			Activation: "moto's balancers serve at once", Rename: "an instance keeps its private DNS name", Twins: "private DNS names are unique",
			ShortLists: "its answers are XML", SecondPage: "its pages have tokens and no number",
			ReadOne: "one machine is read with the call that lists them",
		},
	}
}

func (a *amazon) Env() map[string]string {
	return map[string]string{"AWS_ENDPOINT_URL": a.URL, "AWS_ACCESS_KEY_ID": aws.AccessKey, "AWS_SECRET_ACCESS_KEY": awsSecret}
}

func (a *amazon) Args() []string { return []string{"--cloud-config=" + a.file()} }

func (a *amazon) Secret() string { return awsSecret }

func (a *amazon) Clear(ctx context.Context) error {
	a.Reset()
	a.SetLatency(0)
	a.SetQuota(rate.Quota{})
	a.Fleet(0)
	return a.renew(ctx)
}

func (a *amazon) Close() error {
	if a.Proxy != nil {
		a.Proxy.Close()
	}
	a.server.Stop()
	return os.RemoveAll(a.dir)
}
