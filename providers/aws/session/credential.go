package session

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// source gives its errors a type.
type source struct{ aws.CredentialsProvider }

// Retrieve implements aws.CredentialsProvider.
func (s source) Retrieve(ctx context.Context) (aws.Credentials, error) {
	c, err := s.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return c, &failure.CredentialError{Err: err}
	}
	return c, nil
}

// keys are the access key of the settings. They are read for every request, and so are rotated.
type keys struct {
	secret func(name string) (string, error)
}

// Retrieve implements aws.CredentialsProvider.
func (k keys) Retrieve(context.Context) (aws.Credentials, error) { return k.read() }

func (k keys) read() (aws.Credentials, error) {
	c := aws.Credentials{Source: "settings"}
	for name, into := range map[string]*string{config.EnvAccessKey: &c.AccessKeyID, config.EnvSecretKey: &c.SecretAccessKey, config.EnvSessionToken: &c.SessionToken} {
		var err error
		if *into, err = k.secret(name); err != nil {
			return aws.Credentials{}, err
		}
	}
	return c, nil
}

// given reports whether the settings have an access key. Half of one is an error.
func (k keys) given() (bool, error) {
	c, err := k.read()
	switch {
	case err != nil:
		return false, err
	case c.AccessKeyID != "" && c.SecretAccessKey == "":
		return false, &cloud.Invalid{Field: config.EnvSecretKey, Want: "want the secret of the access key in " + config.EnvAccessKey}
	case c.AccessKeyID == "" && c.SecretAccessKey != "":
		return false, &cloud.Invalid{Field: config.EnvAccessKey, Want: "want the access key whose secret " + config.EnvSecretKey + " is"}
	default:
		return c.AccessKeyID != "", nil
	}
}

// early is how long before they expire credentials are renewed.
const early = time.Minute

// cached keeps credentials until shortly before they expire.
func cached(p aws.CredentialsProvider) aws.CredentialsProvider {
	return source{aws.NewCredentialsCache(p, func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = early })}
}

// identityToken takes on a role with the token of a service account.
func identityToken(s config.Settings, client *sts.Client) aws.CredentialsProvider {
	return cached(stscreds.NewWebIdentityRoleProvider(client, s.Role, stscreds.IdentityTokenFile(s.TokenFile), func(o *stscreds.WebIdentityRoleOptions) {
		o.RoleSessionName = s.SessionName
	}))
}

// assume takes on the role with the credentials of the client.
func assume(r config.Role, client *sts.Client) aws.CredentialsProvider {
	headers := []func(*sts.Options){sts.WithAPIOptions(smithyhttp.SetHeaderValue("x-amz-source-account", r.Account()))}
	if r.Source != "" {
		headers = append(headers, sts.WithAPIOptions(smithyhttp.SetHeaderValue("x-amz-source-arn", r.Source)))
	}
	return cached(stscreds.NewAssumeRoleProvider(withOptions{client, headers}, r.Arn, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName, o.Duration = r.Session, r.Duration
		if r.ExternalID != "" {
			o.ExternalID = &r.ExternalID
		}
	}))
}

// withOptions is a client that takes on roles with options of its own.
type withOptions struct {
	client  *sts.Client
	options []func(*sts.Options)
}

// AssumeRole implements stscreds.AssumeRoleAPIClient.
func (w withOptions) AssumeRole(ctx context.Context, in *sts.AssumeRoleInput, more ...func(*sts.Options)) (*sts.AssumeRoleOutput, error) {
	out, err := w.client.AssumeRole(ctx, in, append(more, w.options...)...)
	return out, failure.Wrap(err, "taking on the role "+aws.ToString(in.RoleArn))
}
