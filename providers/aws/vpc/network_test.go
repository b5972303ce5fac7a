package vpc

import (
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
)

// An answer without a list says nothing of the network: without zones a local one would be taken for a regular one.
func TestNetworkWithoutAList(t *testing.T) {
	for _, lacks := range []string{"", "subnets", "tables", "zones"} {
		client := ec2.New(ec2.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
			subnets, tables, zones := &ec2.DescribeSubnetsOutput{}, &ec2.DescribeRouteTablesOutput{}, &ec2.DescribeAvailabilityZonesOutput{}
			if lacks != "subnets" {
				subnets.Subnets = []ec2types.Subnet{{SubnetId: aws.String("subnet-1")}}
			}
			if lacks != "tables" {
				tables.RouteTables = []ec2types.RouteTable{}
			}
			if lacks != "zones" {
				zones.AvailabilityZones = []ec2types.AvailabilityZone{{ZoneName: aws.String("eu-west-1a")}}
			}
			switch input.(type) {
			case *ec2.DescribeSubnetsInput:
				return subnets, nil
			case *ec2.DescribeRouteTablesInput:
				return tables, nil
			case *ec2.DescribeAvailabilityZonesInput:
				return zones, nil
			}
			return nil, fmt.Errorf("nothing answers %T", input)
		})})
		if _, err := (&Reader{Client: client}).ReadNetwork(t.Context()); errors.Is(err, cloud.ErrIncomplete) != (lacks != "") {
			t.Errorf("without %q: %v", lacks, err)
		}
	}
}
