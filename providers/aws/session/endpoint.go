package session

import (
	"context"
	"net/http"
	"net/url"

	"github.com/aws/smithy-go"
	smithyauth "github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
)

// fixedEndpoint is the endpoint of a ServiceOverride. It implements the EndpointResolverV2 of a
// service, whose parameters are P.
type fixedEndpoint[P any] struct{ override *config.Override }

// ResolveEndpoint returns the URL, and what requests to it are signed for.
func (f fixedEndpoint[P]) ResolveEndpoint(context.Context, P) (smithyendpoints.Endpoint, error) {
	u, err := url.Parse(f.override.URL)
	if err != nil {
		return smithyendpoints.Endpoint{}, err
	}
	var signing, properties smithy.Properties
	smithyhttp.SetSigV4SigningRegion(&signing, f.override.SigningRegion)
	if f.override.SigningName != "" {
		smithyhttp.SetSigV4SigningName(&signing, f.override.SigningName)
	}
	smithyauth.SetAuthOptions(&properties, []*smithyauth.Option{{SchemeID: smithyauth.SchemeIDSigV4, SignerProperties: signing}})
	return smithyendpoints.Endpoint{URI: *u, Headers: http.Header{}, Properties: properties}, nil
}
