package aws

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
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
	"github.com/aws/smithy-go/middleware"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// connection makes clients of one region and credential.
type connection struct {
	config    aws.Config
	settings  settings
	overrides overrides
}

// connect finds region and credentials. It reads the metadata of the machine only where nothing
// else says what the region is.
func connect(ctx context.Context, c cloud.Config, f fileConfig, s settings) (*connection, error) {
	keys := keys{c.Secret}
	static, err := keys.given()
	if err != nil {
		return nil, err
	}
	loaded, err := load(ctx, c, s, static || s.tokenFile != "")
	if err != nil {
		return nil, err
	}
	n := &connection{config: loaded, settings: s, overrides: f.overrides}
	if n.config.Region, err = n.region(ctx, f.region); err != nil {
		return nil, err
	}
	switch {
	case static:
		n.config.Credentials = source{keys}
	case s.tokenFile != "":
		n.config.Credentials = s.identityToken(n.tokens())
	default:
		n.config.Credentials = source{n.config.Credentials}
	}
	if f.role.arn != "" {
		n.config.Credentials = f.role.assume(n.tokens())
	}
	return n, nil
}

// load reads what the SDK reads: its variables, the profile, and where credentials come from
// unless they are known. Nothing of it retries, because the kernel does.
func load(ctx context.Context, c cloud.Config, s settings, known bool) (aws.Config, error) {
	name, version, _ := strings.Cut(c.UserAgent, "/")
	options := []func(*awsconfig.LoadOptions) error{
		awsconfig.WithRegion(s.region),
		awsconfig.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		awsconfig.WithAPIOptions([]func(*middleware.Stack) error{awsmiddleware.AddUserAgentKeyValue(name, version), addPlainErrors}),
	}
	if known {
		options = append(options, awsconfig.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	if s.fips {
		options = append(options, awsconfig.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled))
	}
	if s.dualStack {
		options = append(options, awsconfig.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled))
	}
	// AWS redirects nobody, and whoever it would be would get the session token in the headers.
	client := &http.Client{Transport: answers{c.Transport}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if s.bundle == "" {
		options = append(options, awsconfig.WithHTTPClient(client))
	} else {
		// The SDK gives a bundle to clients it has made only. What it asks for credentials then
		// goes past the kernel's transport, and all else through it.
		roots, err := readBundle(s.bundle)
		if err != nil {
			return aws.Config{}, err
		}
		client.Transport = answers{c.WithTLS(&tls.Config{RootCAs: roots})} // #nosec G402 -- the transport sets the version
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
		return nil, fmt.Errorf("reading the file of %s: %w", envBundle, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, &cloud.Invalid{Field: envBundle, Value: path, Want: "want a file with certificates in PEM"}
	}
	return roots, nil
}

// region returns the file's region, else the SDK's, else the machine's.
func (n *connection) region(ctx context.Context, wanted string) (string, error) {
	if wanted != "" {
		return wanted, nil
	}
	if n.config.Region != "" {
		return n.config.Region, nil
	}
	answer, err := n.metadata().GetRegion(ctx, &imds.GetRegionInput{})
	if err != nil {
		return "", errors.Join(&cloud.Invalid{
			Field: envRegion, Want: "want a region such as eu-central-1, here or as Region in [Global] of cloud.conf: this machine's metadata does not say",
		}, err)
	}
	return answer.Region, nil
}

// metadata returns a client of the metadata of the machine. The SDK gives it 5 seconds.
func (n *connection) metadata() *imds.Client {
	return imds.NewFromConfig(n.config, func(o *imds.Options) {
		if override := n.overrides.metadata(); override != nil {
			o.Endpoint = override.url
		}
	})
}

// clients makes those of the APIs.
func (n *connection) clients() clients {
	return clients{compute: n.compute(), classic: n.classic(), network: n.network(), tokens: n.tokens()}
}

// endpoint returns what replaces the SDK's endpoint of a service: an override, or a URL of the
// settings, or neither.
func (n *connection) endpoint(s service) (*override, *string) {
	if o := n.overrides.find(s, n.config.Region); o != nil {
		return o, nil
	}
	if url := n.settings.endpoints[s.id]; url != "" {
		return nil, &url
	}
	return nil, nil
}

func (n *connection) compute() *ec2.Client {
	return ec2.NewFromConfig(n.config, func(o *ec2.Options) {
		override, url := n.endpoint(serviceCompute)
		if url != nil {
			o.BaseEndpoint = url
		}
		if override != nil {
			o.EndpointResolverV2 = fixedEndpoint[ec2.EndpointParameters]{override}
		}
	})
}

func (n *connection) classic() *elasticloadbalancing.Client {
	return elasticloadbalancing.NewFromConfig(n.config, func(o *elasticloadbalancing.Options) {
		override, url := n.endpoint(serviceClassic)
		if url != nil {
			o.BaseEndpoint = url
		}
		if override != nil {
			o.EndpointResolverV2 = fixedEndpoint[elasticloadbalancing.EndpointParameters]{override}
		}
	})
}

func (n *connection) network() *elasticloadbalancingv2.Client {
	return elasticloadbalancingv2.NewFromConfig(n.config, func(o *elasticloadbalancingv2.Options) {
		override, url := n.endpoint(serviceNetwork)
		if url != nil {
			o.BaseEndpoint = url
		}
		if override != nil {
			o.EndpointResolverV2 = fixedEndpoint[elasticloadbalancingv2.EndpointParameters]{override}
		}
	})
}

func (n *connection) tokens() *sts.Client {
	return sts.NewFromConfig(n.config, func(o *sts.Options) {
		override, url := n.endpoint(serviceTokens)
		if url != nil {
			o.BaseEndpoint = url
		}
		if override != nil {
			o.EndpointResolverV2 = fixedEndpoint[sts.EndpointParameters]{override}
		}
	})
}
