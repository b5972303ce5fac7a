package nlb

import (
	"errors"
	"fmt"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
)

// An answer to a creation that does not say what was made is none: what follows would refer to nothing.
func TestMadeWithoutARN(t *testing.T) {
	for _, empty := range []bool{false, true} {
		client := sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
			balancers, listeners := &sdk.CreateLoadBalancerOutput{}, &sdk.CreateListenerOutput{}
			if !empty {
				balancers.LoadBalancers, listeners.Listeners = []types.LoadBalancer{{}}, []types.Listener{{}}
			}
			switch input.(type) {
			case *sdk.CreateLoadBalancerInput:
				return balancers, nil
			case *sdk.CreateListenerInput:
				return listeners, nil
			}
			return nil, fmt.Errorf("nothing answers %T", input)
		})})
		n := &Balancers{Client: client}
		_, balancer := n.create(t.Context(), cloud.Resource{}, nil)
		_, listener := n.createListener(t.Context(), cloud.Resource{}, nil)
		for what, err := range map[string]error{"balancer": balancer, "listener": listener} {
			if !errors.Is(err, cloud.ErrIncomplete) {
				t.Errorf("%s, empty %t: %v", what, empty, err)
			}
		}
	}
}

// TestMadeForAnother: an answer about another load balancer is an error, and its address is not recorded.
func TestMadeForAnother(t *testing.T) {
	for name, another := range map[string]bool{"web": false, "": false, "api": true} {
		client := sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(any) (any, error) {
			return &sdk.CreateLoadBalancerOutput{LoadBalancers: []types.LoadBalancer{{LoadBalancerArn: new("arn"), LoadBalancerName: &name, DNSName: new("host")}}}, nil
		})})
		made, err := (&Balancers{Client: client}).create(t.Context(), cloud.Resource{Native: nativeBalancer.Seal(cloud.Balancer{Name: "web"})}, nil)
		if (err != nil) != another || (made.ID == "") != another || (made.Addresses == nil) != another {
			t.Errorf("%q: made %+v, %v", name, made, err)
		}
	}
}
