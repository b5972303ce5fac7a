package aws

import (
	"context"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyauth "github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// service is an API that is called.
type service struct {
	// id is its ServiceID, which upstream compares since it uses the SDK's version 2.
	id string
	// old is what version 1 called it: both API versions of load balancing were one service.
	old string
	// env is the variable with its endpoint.
	env string
}

// The APIs. Their endpoints, in every partition, are the SDK's, unless somebody overrides them.
var (
	serviceCompute = service{ec2.ServiceID, "ec2", "AWS_ENDPOINT_URL_EC2"}
	serviceClassic = service{elasticloadbalancing.ServiceID, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING"}
	serviceNetwork = service{elasticloadbalancingv2.ServiceID, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2"}
	serviceTokens  = service{sts.ServiceID, "sts", "AWS_ENDPOINT_URL_STS"}

	services = []service{serviceCompute, serviceClassic, serviceNetwork, serviceTokens}
)

const wantURL = "want an http or https URL such as https://ec2.example.com"

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// fixedEndpoint is the endpoint of a ServiceOverride. It implements the EndpointResolverV2 of a
// service, whose parameters are P.
type fixedEndpoint[P any] struct{ override *override }

// ResolveEndpoint returns the URL, and what requests to it are signed for.
func (f fixedEndpoint[P]) ResolveEndpoint(context.Context, P) (smithyendpoints.Endpoint, error) {
	u, err := url.Parse(f.override.url)
	if err != nil {
		return smithyendpoints.Endpoint{}, err
	}
	var signing, properties smithy.Properties
	smithyhttp.SetSigV4SigningRegion(&signing, f.override.signingRegion)
	if f.override.signingName != "" {
		smithyhttp.SetSigV4SigningName(&signing, f.override.signingName)
	}
	smithyauth.SetAuthOptions(&properties, []*smithyauth.Option{{SchemeID: smithyauth.SchemeIDSigV4, SignerProperties: signing}})
	return smithyendpoints.Endpoint{URI: *u, Headers: http.Header{}, Properties: properties}, nil
}
