package elb

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// region is a region with classic load balancers, each with as many instances as AWS lets it have.
type region struct{ balancers int }

// RoundTrip answers DescribeLoadBalancers, in pages.
func (r region) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	asked, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	from, _ := strconv.Atoi(asked.Get("Marker"))
	size, _ := strconv.Atoi(asked.Get("PageSize"))
	reader, writer := io.Pipe()
	go func() {
		const instances = 1000 // docs.aws.amazon.com/elasticloadbalancing/latest/classic/elb-limits.html
		fmt.Fprint(writer, "<DescribeLoadBalancersResponse><DescribeLoadBalancersResult><LoadBalancerDescriptions>")
		for n := from; n < min(from+size, r.balancers); n++ {
			fmt.Fprintf(writer, "<member><LoadBalancerName>lb-%d</LoadBalancerName><Instances>", n)
			for i := range instances {
				fmt.Fprintf(writer, "<member><InstanceId>i-%017x</InstanceId></member>", i)
			}
			fmt.Fprint(writer, "</Instances></member>")
		}
		fmt.Fprint(writer, "</LoadBalancerDescriptions>")
		if from+size < r.balancers {
			fmt.Fprintf(writer, "<NextMarker>%d</NextMarker>", from+size)
		}
		fmt.Fprint(writer, "</DescribeLoadBalancersResult></DescribeLoadBalancersResponse>")
		_ = writer.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/xml"}}, Body: reader, Request: request}, nil
}

// Many load balancers with as many instances as they may have are within what an answer may take of memory.
func TestListOfFullBalancers(t *testing.T) {
	const balancers = 400
	limits := cloud.Limits{PageSize: 1000, AnswerSize: 64 << 20}
	e := newBalancers()
	e.Client = sdk.NewFromConfig(aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""), RetryMaxAttempts: 1,
		HTTPClient: &http.Client{Transport: transport.Guard(region{balancers}, limits)},
	})
	list, err := e.describe(t.Context())
	if err != nil || len(list) != balancers {
		t.Fatalf("%d load balancers, %v", len(list), err)
	}
	for n, b := range list {
		if name := aws.ToString(b.LoadBalancerName); name != fmt.Sprintf("lb-%d", n) || len(b.Instances) != 1000 || !strings.HasPrefix(aws.ToString(b.Instances[999].InstanceId), "i-") {
			t.Fatalf("load balancer %d: %s with %d instances", n, name, len(b.Instances))
		}
	}
}
