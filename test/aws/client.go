package aws

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

// Region is that of all tests that do not choose another.
const Region = "eu-central-1"

// Credentials that moto takes, as any.
const (
	AccessKey = "AKIATEST"
	SecretKey = "secret"
)

// Clients are plain clients of AWS's SDK. They are not behind a proxy: nothing they do is
// counted or broken.
type Clients struct {
	EC2     *ec2.Client
	Classic *elasticloadbalancing.Client
	Network *elasticloadbalancingv2.Client
	STS     *sts.Client
}

// Through returns clients that go through the proxy.
func (w *World) Through(t testing.TB, p *proxy.Proxy) Clients {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return connect(transport, p.URL, w.Region)
}

// Connect returns clients of an account in Region, which reach the server whatever the URL.
func (s *Server) Connect(account string) Clients {
	return connect(s.Transport(account), "http://moto", Region)
}

func connect(transport http.RoundTripper, url, region string) Clients {
	key := aws.Credentials{AccessKeyID: AccessKey, SecretAccessKey: SecretKey}
	config := aws.Config{
		Region: region, BaseEndpoint: &url, HTTPClient: &http.Client{Transport: transport}, RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return key, nil }),
	}
	return Clients{
		EC2: ec2.NewFromConfig(config), Classic: elasticloadbalancing.NewFromConfig(config),
		Network: elasticloadbalancingv2.NewFromConfig(config), STS: sts.NewFromConfig(config),
	}
}
