package aws

import (
	"errors"
	"net/http"
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

// The SDK's requests to the endpoints of load balancers have limits of their own.
func TestAPI(t *testing.T) {
	var parts asked
	c := aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		HTTPClient: &http.Client{Transport: &parts}, RetryMaxAttempts: 1,
	}
	_, machines := ec2.NewFromConfig(c).DescribeInstances(t.Context(), nil)
	_, classic := elasticloadbalancing.NewFromConfig(c).DescribeLoadBalancers(t.Context(), nil)
	_, network := elasticloadbalancingv2.NewFromConfig(c).DescribeLoadBalancers(t.Context(), nil)
	if machines == nil || classic == nil || network == nil {
		t.Fatal("a request came through")
	}
	want := asked{"", balancingAPI, balancingAPI}
	if len(parts) != len(want) || parts[0] != want[0] || parts[1] != want[1] || parts[2] != want[2] {
		t.Errorf("parts = %q, want %q", parts, want)
	}
}
