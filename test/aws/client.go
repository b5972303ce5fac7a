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

// connect makes clients for an account.
func connect(t testing.TB, server *Server, account, region string) Clients {
	transport := server.Transport(account)
	t.Cleanup(transport.CloseIdleConnections)
	key := aws.Credentials{AccessKeyID: AccessKey, SecretAccessKey: SecretKey}
	config := aws.Config{
		Region: region, BaseEndpoint: aws.String("http://moto"), HTTPClient: &http.Client{Transport: transport},
		RetryMaxAttempts: 1,
		Credentials:      aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return key, nil }),
	}
	return Clients{
		EC2: ec2.NewFromConfig(config), Classic: elasticloadbalancing.NewFromConfig(config),
		Network: elasticloadbalancingv2.NewFromConfig(config), STS: sts.NewFromConfig(config),
	}
}
