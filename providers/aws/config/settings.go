package config

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Service is an API that is called.
type Service struct {
	// ID is its ServiceID, which upstream compares since it uses the SDK's version 2.
	ID string
	// old is what version 1 called it: both API versions of load balancing were one service.
	old string
	// env is the variable with its endpoint.
	env string
}

// The APIs. Their endpoints, in every partition, are the SDK's, unless somebody overrides them.
var (
	Compute = Service{ec2.ServiceID, "ec2", "AWS_ENDPOINT_URL_EC2"}
	Classic = Service{elasticloadbalancing.ServiceID, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING"}
	Network = Service{elasticloadbalancingv2.ServiceID, "elasticloadbalancing", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2"}
	Tokens  = Service{sts.ServiceID, "sts", "AWS_ENDPOINT_URL_STS"}

	services = []Service{Compute, Classic, Network, Tokens}
)

// Environment variables, as AWS's SDKs and tools name them. What else they know, such as
// AWS_PROFILE and the variables of EKS and ECS, the SDK reads itself.
const (
	EnvRegion        = "AWS_REGION"
	envDefaultRegion = "AWS_DEFAULT_REGION"
	EnvAccessKey     = "AWS_ACCESS_KEY_ID"
	EnvSecretKey     = "AWS_SECRET_ACCESS_KEY" // #nosec G101 -- the name of a variable
	EnvSessionToken  = "AWS_SESSION_TOKEN"     // #nosec G101 -- the name of a variable
	envRole          = "AWS_ROLE_ARN"
	envTokenFile     = "AWS_WEB_IDENTITY_TOKEN_FILE" // #nosec G101 -- the name of a variable
	envSessionName   = "AWS_ROLE_SESSION_NAME"
	envEndpoint      = "AWS_ENDPOINT_URL"
	envFIPS          = "AWS_USE_FIPS_ENDPOINT"
	envDualStack     = "AWS_USE_DUALSTACK_ENDPOINT"
	EnvBundle        = "AWS_CA_BUNDLE"
)

// Declared are the declarations of all environment variables.
func Declared() []cloud.Setting {
	settings := []cloud.Setting{
		{Name: EnvRegion, Value: "region", Doc: "Region, where cloud.conf has neither Zone nor Region. Not set: that of the machine this runs on."},
		{Name: envDefaultRegion, Doc: "Region, where AWS_REGION is not set."},
		{Name: EnvAccessKey, Secret: true, Key: "access-key-id", Value: "accessKeyID", Needs: EnvSecretKey, Doc: "Access key. Not set: the credentials of the service account, the container or the machine, in the SDK's order."},
		{Name: EnvSecretKey, Secret: true, Key: "secret-access-key", Value: "secretAccessKey", Needs: EnvAccessKey, Doc: "Secret of the access key."},
		{Name: EnvSessionToken, Secret: true, Key: "session-token", Value: "sessionToken", Needs: EnvAccessKey, Doc: "Session token, where the access key is a temporary one."},
		{Name: envRole, Doc: "Role to take on with the token of AWS_WEB_IDENTITY_TOKEN_FILE. EKS's webhook sets both."},
		{Name: envTokenFile, Doc: "Path of the service account's token, read again for every session."},
		{Name: envSessionName, Doc: "Name of that session. Not set: one that the SDK makes up."},
		{Name: envFIPS, Default: "false", Type: cloud.SettingBool, Value: "useFIPSEndpoint", Doc: "Use the endpoints with validated cryptography."},
		{Name: envDualStack, Default: "false", Type: cloud.SettingBool, Value: "useDualStackEndpoint", Doc: "Use the endpoints that have IPv6 addresses too."},
		{Name: EnvBundle, Doc: "Path of the certificates, in PEM, of the authorities to trust in place of the system's."},
		{Name: envEndpoint, Value: "endpointURL", Doc: "Endpoint of all services, in place of AWS's. A ServiceOverride in cloud.conf comes first."},
	}
	for _, s := range services {
		settings = append(settings, cloud.Setting{Name: s.env, Doc: "Endpoint of " + s.ID + "."})
	}
	return settings
}

// Settings are the environment variables that are no secret.
type Settings struct {
	Region      string
	Role        string
	TokenFile   string
	SessionName string
	Fips        bool
	DualStack   bool
	Bundle      string
	// Endpoints are URLs by the id of the service.
	Endpoints map[string]string
}

// Read reads the environment variables that are no secret, and reports all that is wrong with them.
func Read(lookup func(string) string) (Settings, error) {
	r := cloud.SettingReader{Lookup: lookup}
	s := Settings{
		Region: cmp.Or(lookup(EnvRegion), lookup(envDefaultRegion)), Role: lookup(envRole), TokenFile: lookup(envTokenFile), SessionName: lookup(envSessionName),
		Fips: r.Bool(envFIPS), DualStack: r.Bool(envDualStack), Bundle: lookup(EnvBundle), Endpoints: map[string]string{},
	}
	if s.TokenFile != "" && s.Role == "" {
		r.Refuse(envRole, "", "want the role to take on with the token of "+envTokenFile)
	}
	for _, service := range services {
		name := service.env
		if r.Text(name) == "" {
			name = envEndpoint
		}
		if r.URL(name) != nil {
			s.Endpoints[service.ID] = r.Text(name)
		}
	}
	return s, r.Err()
}
