package aws_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

// behind returns clients that go through a proxy.
func behind(t *testing.T) (*aws.World, *proxy.Proxy, aws.Clients) {
	t.Helper()
	w := aws.NewWorld(t, aws.WorldOptions{Zones: 1})
	p := w.Proxy(t)
	return w, p, w.Through(t, p)
}

func TestProxyRecords(t *testing.T) {
	t.Parallel()
	w, p, c := behind(t)
	must(c.EC2.DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{SubnetIds: w.Public}))(t)
	must(c.Classic.DescribeLoadBalancers(t.Context(), &elasticloadbalancing.DescribeLoadBalancersInput{}))(t)
	_, err := c.Network.DeleteTargetGroup(t.Context(), &elasticloadbalancingv2.DeleteTargetGroupInput{TargetGroupArn: awssdk.String("x")})
	wantCode(t, "delete", err, "TargetGroupNotFound")
	var names []string
	for _, call := range p.Calls() {
		names = append(names, call.String()+" "+call.Permission())
	}
	want := []string{"ec2 DescribeSubnets ec2:DescribeSubnets", "elb DescribeLoadBalancers elasticloadbalancing:DescribeLoadBalancers", "elbv2 DeleteTargetGroup elasticloadbalancing:DeleteTargetGroup"}
	if !slices.Equal(names, want) {
		t.Errorf("calls %q, want %q", names, want)
	}
	if got := p.Calls()[0].Parameters.Get("SubnetId.1"); got != w.Public[0] {
		t.Errorf("parameter %q", got)
	}
	if status := p.Calls()[2].Status; status != http.StatusBadRequest {
		t.Errorf("status %d", status)
	}
	if reads, writes := p.Counts(); reads != 2 || writes != 1 {
		t.Errorf("%d reads, %d writes", reads, writes)
	}
}

func TestProxyBreaks(t *testing.T) {
	t.Parallel()
	w, p, c := behind(t)
	describe := func(ctx context.Context) error {
		_, err := c.EC2.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{SubnetIds: w.Public})
		return err
	}
	p.AddFault(fault.Fault{Path: "/ec2/DescribeSubnets", Status: http.StatusTooManyRequests, Times: 1})
	wantCode(t, "throttled", describe(t.Context()), "RequestLimitExceeded")
	p.AddFault(fault.Fault{Path: "/elbv2/*", Status: http.StatusTooManyRequests, Times: 1})
	_, err := c.Network.DescribeTargetGroups(t.Context(), &elasticloadbalancingv2.DescribeTargetGroupsInput{})
	wantCode(t, "throttled", err, "Throttling")
	p.AddFault(fault.Fault{Mutating: true, Skip: 1, Times: 1, Status: http.StatusForbidden})
	wantCode(t, "a read passes", describe(t.Context()), "")
	group := func(name string) error {
		_, err := c.EC2.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{VpcId: &w.VPC, GroupName: &name, Description: &name})
		return err
	}
	wantCode(t, "the first write", group("one"), "")
	wantCode(t, "the second", group("two"), "UnauthorizedOperation")
	if err := p.ArmTrigger(halt.Trigger{N: 1, Mutating: true, Phase: halt.After, Action: halt.Drop}); err != nil {
		t.Fatal(err)
	}
	if group("three") == nil {
		t.Error("the halted write was answered")
	}
	wantCode(t, "it was done", group("three"), "InvalidGroup.Duplicate")
	p.AddFault(fault.Fault{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if describe(ctx) == nil {
		t.Error("a hung call was answered")
	}
}

func TestProxyThrottlesAShare(t *testing.T) {
	t.Parallel()
	_, p, c := behind(t)
	p.Throttle(50)
	refused := 0
	for range 100 {
		if _, err := c.EC2.DescribeAvailabilityZones(t.Context(), &ec2.DescribeAvailabilityZonesInput{}); err != nil {
			refused++
		}
	}
	if refused < 40 || refused > 60 {
		t.Errorf("%d of 100 were refused", refused)
	}
}

func TestProxyShortensPages(t *testing.T) {
	t.Parallel()
	w, p, c := behind(t)
	p.SetPage(5)
	w.Boot(t, aws.MachineOptions{Count: 6})
	answer := must(c.EC2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{MaxResults: awssdk.Int32(1000)}))(t)
	if len(answer.Reservations) != 5 || answer.NextToken == nil {
		t.Errorf("%d instances on a page of 5", len(answer.Reservations))
	}
}
