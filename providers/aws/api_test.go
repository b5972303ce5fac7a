package aws

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
)

// asked notes which part of the API requests are of, and sends none.
type asked []string

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	*a = append(*a, API(r))
	return nil, errors.New("not sent")
}

// The SDK's requests about load balancers, and those that new Nodes wait for, have limits of their own.
func TestAPI(t *testing.T) {
	var parts asked
	c := aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		HTTPClient: &http.Client{Transport: &parts}, RetryMaxAttempts: 1,
	}
	machines := ec2.NewFromConfig(c)
	var all [7]error
	_, all[0] = machines.DescribeInstances(t.Context(), nil)
	_, all[1] = machines.DescribeInstanceTopology(t.Context(), nil)
	_, all[2] = machines.DescribeSecurityGroups(t.Context(), nil)
	classic, network := elasticloadbalancing.NewFromConfig(c), elasticloadbalancingv2.NewFromConfig(c)
	_, all[3] = classic.DescribeLoadBalancers(t.Context(), nil)
	_, all[4] = classic.DeleteLoadBalancer(t.Context(), &elasticloadbalancing.DeleteLoadBalancerInput{LoadBalancerName: new("a")})
	_, all[5] = network.DescribeLoadBalancers(t.Context(), nil)
	_, all[6] = network.DeleteLoadBalancer(t.Context(), &elasticloadbalancingv2.DeleteLoadBalancerInput{LoadBalancerArn: new("a")})
	for i, err := range all {
		if err == nil {
			t.Errorf("request %d came through", i)
		}
	}
	want := asked{instancesAPI, instancesAPI, "", classicReadsAPI, classicChangesAPI, networkReadsAPI, networkChangesAPI}
	if !slices.Equal(parts, want) {
		t.Errorf("parts = %q, want %q", parts, want)
	}
}
