package elb

import (
	"errors"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Attributes are read where nothing is known of them, and else are what they were. All else is as it is described.
func TestRecall(t *testing.T) {
	reads := 0
	idle := aws.Int32(90)
	e := &Balancers{Client: sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
		if _, is := input.(*sdk.DescribeLoadBalancerAttributesInput); !is {
			return nil, errors.New("only attributes are asked for")
		}
		reads++
		return &sdk.DescribeLoadBalancerAttributesOutput{LoadBalancerAttributes: &types.LoadBalancerAttributes{ConnectionSettings: &types.ConnectionSettings{IdleTimeout: idle}}}, nil
	})})}
	observe := func(last *cloud.Observed, subnets ...string) map[string]string {
		t.Helper()
		lb := &Balancer{LoadBalancerDescription: types.LoadBalancerDescription{LoadBalancerName: aws.String("lb"), Subnets: subnets}}
		o, err := e.Observe(t.Context(), &Snapshot{Inventory: &vpc.Inventory{}, Name: "lb", Balancer: lb}, cloud.Input{Known: cloud.Known{Last: last}})
		if err != nil {
			t.Fatal(err)
		}
		return o.Balancer.ProviderFields
	}
	first := observe(nil, "subnet-1")
	if reads != 1 || first[balancer.FieldIdleTimeout] != "90" {
		t.Fatalf("%d reads, %v", reads, first)
	}
	idle = aws.Int32(30)
	last := &cloud.Observed{ID: "lb", Balancer: cloud.Balancer{ProviderFields: first}}
	known := observe(last, "subnet-2")
	want := maps.Clone(first)
	want[balancer.FieldSubnets] = "subnet-2"
	if reads != 1 || !maps.Equal(known, want) {
		t.Errorf("%d reads, %v, want %v", reads, known, want)
	}
	last.ID = "another"
	if read := observe(last); reads != 2 || read[balancer.FieldIdleTimeout] != "30" || read[desired.FieldDraining] != "false" {
		t.Errorf("after another one: %d reads, %v", reads, read)
	}
}
