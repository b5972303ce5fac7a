package vpc

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// What is wrong with a list of subnets is said in words, and which ones are meant.
func TestNamedSubnets(t *testing.T) {
	inv := &Inventory{}
	for id, name := range map[string]string{"subnet-1": "a", "subnet-2": "b", "subnet-3": "b"} {
		inv.subnets = append(inv.subnets, ec2types.Subnet{SubnetId: aws.String(id), Tags: []ec2types.Tag{{Key: aws.String("Name"), Value: aws.String(name)}}})
	}
	for list, want := range map[string]string{
		"a,subnet-3": "",
		"a,c":        `no subnet of the VPC has the id or name "c"`,
		"b":          `several subnets of the VPC have the name "b"`,
		"a,subnet-1": "subnet subnet-1 is in the list twice",
	} {
		_, err := inv.namedSubnets(strings.Split(list, ","))
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", list, err, want)
		}
	}
}
