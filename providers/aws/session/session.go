// Package session finds region and credentials, and makes the clients of the APIs.
package session

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyauth "github.com/aws/smithy-go/auth"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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

// Session makes clients of one region and credential.
type Session struct {
	Config    aws.Config
	settings  config.Settings
	overrides config.Overrides
}

// Check returns what is wrong with an access key, and with the file of certificates.
func Check(c cloud.Config, s config.Settings) (err error) {
	if s.Bundle != "" {
		_, err = readBundle(s.Bundle)
	}
	_, half := keys{c.Secret}.given()
	return errors.Join(half, err)
}

// Connect finds region and credentials. It reads the metadata of the machine only where nothing
// else says what the region is.
func Connect(ctx context.Context, c cloud.Config, f config.File, s config.Settings) (*Session, error) {
	keys := keys{c.Secret}
	static, err := keys.given()
	if err != nil {
		return nil, err
	}
	loaded, err := load(ctx, c, s, static || s.TokenFile != "")
	if err != nil {
		return nil, err
	}
	n := &Session{Config: loaded, settings: s, overrides: f.Overrides}
	if n.Config.Region, err = n.region(ctx, f.Region); err != nil {
		return nil, err
	}
	switch {
	case static:
		n.Config.Credentials = source{keys}
	case s.TokenFile != "":
		n.Config.Credentials = identityToken(s, n.tokens())
	default:
		n.Config.Credentials = source{n.Config.Credentials}
	}
	if f.Role.Arn != "" {
		n.Config.Credentials = assume(f.Role, n.tokens())
	}
	return n, nil
}

// load reads what the SDK reads: its variables, the profile, and where credentials come from
// unless they are known. Nothing of it retries, because the kernel does.
func load(ctx context.Context, c cloud.Config, s config.Settings, known bool) (aws.Config, error) {
	name, version, _ := strings.Cut(c.UserAgent, "/")
	options := []func(*awsconfig.LoadOptions) error{
		awsconfig.WithRegion(s.Region),
		awsconfig.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		awsconfig.WithAPIOptions([]func(*middleware.Stack) error{awsmiddleware.AddUserAgentKeyValue(name, version), addPlainErrors}),
	}
	if known {
		options = append(options, awsconfig.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	if s.Fips {
		options = append(options, awsconfig.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled))
	}
	if s.DualStack {
		options = append(options, awsconfig.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled))
	}
	client := cloud.NewClient(Checked(c.Transport))
	if s.Bundle == "" {
		options = append(options, awsconfig.WithHTTPClient(client))
	} else {
		// The SDK gives a bundle to clients it has made only. What it asks for credentials then
		// goes past the kernel's transport, and all else through it.
		roots, err := readBundle(s.Bundle)
		if err != nil {
			return aws.Config{}, err
		}
		client.Transport = Checked(c.WithTLS(&tls.Config{RootCAs: roots})) // #nosec G402 -- the transport sets the version
	}
	loaded, err := awsconfig.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("reading the configuration of the SDK: %w", err)
	}
	loaded.HTTPClient = client
	return loaded, nil
}

func readBundle(path string) (*x509.CertPool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the file of %s: %w", config.EnvBundle, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, &cloud.Invalid{Field: config.EnvBundle, Value: path, Want: "want a file with certificates in PEM"}
	}
	return roots, nil
}

// region returns the file's region, else the SDK's, else the machine's.
func (n *Session) region(ctx context.Context, wanted string) (string, error) {
	if known := cmp.Or(wanted, n.Config.Region); known != "" {
		return known, nil
	}
	answer, err := n.metadata().GetRegion(ctx, &imds.GetRegionInput{})
	if err != nil {
		return "", errors.Join(&cloud.Invalid{
			Field: config.EnvRegion, Want: "want a region such as eu-central-1, here or as Region in [Global] of cloud.conf: this machine's metadata does not say",
		}, err)
	}
	return answer.Region, nil
}

// metadata returns a client of the metadata of the machine. The SDK gives it 5 seconds.
func (n *Session) metadata() *imds.Client {
	return imds.NewFromConfig(n.Config, func(o *imds.Options) {
		if override := n.overrides.Metadata(); override != nil {
			o.Endpoint = override.URL
		}
	})
}

// Clients makes those of the APIs.
func (n *Session) Clients() Clients {
	return Clients{Compute: n.compute(), Classic: n.classic(), Network: n.network(), tokens: n.tokens()}
}

// at gives a client what replaces the SDK's endpoint of its service: an override, or a URL of the settings,
// or neither. P and R are the service's own EndpointParameters and EndpointResolverV2.
func at[P, R any](n *Session, s config.Service, base **string, resolver *R) {
	if o := n.overrides.Find(s, n.Config.Region); o != nil {
		*resolver, _ = any(fixedEndpoint[P]{o}).(R)
	} else if url := n.settings.Endpoints[s.ID]; url != "" {
		*base = &url
	}
}

func (n *Session) compute() *ec2.Client {
	return ec2.NewFromConfig(n.Config, func(o *ec2.Options) {
		at[ec2.EndpointParameters](n, config.Compute, &o.BaseEndpoint, &o.EndpointResolverV2)
	})
}

func (n *Session) classic() *elasticloadbalancing.Client {
	return elasticloadbalancing.NewFromConfig(n.Config, func(o *elasticloadbalancing.Options) {
		at[elasticloadbalancing.EndpointParameters](n, config.Classic, &o.BaseEndpoint, &o.EndpointResolverV2)
	})
}

func (n *Session) network() *elasticloadbalancingv2.Client {
	return elasticloadbalancingv2.NewFromConfig(n.Config, func(o *elasticloadbalancingv2.Options) {
		at[elasticloadbalancingv2.EndpointParameters](n, config.Network, &o.BaseEndpoint, &o.EndpointResolverV2)
	})
}

func (n *Session) tokens() *sts.Client {
	return sts.NewFromConfig(n.Config, func(o *sts.Options) {
		at[sts.EndpointParameters](n, config.Tokens, &o.BaseEndpoint, &o.EndpointResolverV2)
	})
}

// Clients are those of the APIs. They never retry: the kernel does.
type Clients struct {
	Compute *ec2.Client
	Classic *elasticloadbalancing.Client
	Network *elasticloadbalancingv2.Client
	tokens  *sts.Client
}
