package aws

import (
	"errors"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Environment variables, as AWS's SDKs and tools name them. What else they know, such as
// AWS_PROFILE and the variables of EKS and ECS, the SDK reads itself.
const (
	envRegion        = "AWS_REGION"
	envDefaultRegion = "AWS_DEFAULT_REGION"
	envAccessKey     = "AWS_ACCESS_KEY_ID"
	envSecretKey     = "AWS_SECRET_ACCESS_KEY" // #nosec G101 -- the name of a variable
	envSessionToken  = "AWS_SESSION_TOKEN"     // #nosec G101 -- the name of a variable
	envRole          = "AWS_ROLE_ARN"
	envTokenFile     = "AWS_WEB_IDENTITY_TOKEN_FILE" // #nosec G101 -- the name of a variable
	envSessionName   = "AWS_ROLE_SESSION_NAME"
	envEndpoint      = "AWS_ENDPOINT_URL"
	envFIPS          = "AWS_USE_FIPS_ENDPOINT"
	envDualStack     = "AWS_USE_DUALSTACK_ENDPOINT"
	envBundle        = "AWS_CA_BUNDLE"
)

func declaredSettings() []cloud.Setting {
	settings := []cloud.Setting{
		{Name: envRegion, Value: "region", Doc: "Region, where cloud.conf has neither Zone nor Region. Not set: that of the machine this runs on."},
		{Name: envDefaultRegion, Doc: "Region, where AWS_REGION is not set."},
		{Name: envAccessKey, Secret: true, Key: "access-key-id", Value: "accessKeyID", Needs: envSecretKey, Doc: "Access key. Not set: the credentials of the service account, the container or the machine, in the SDK's order."},
		{Name: envSecretKey, Secret: true, Key: "secret-access-key", Value: "secretAccessKey", Needs: envAccessKey, Doc: "Secret of the access key."},
		{Name: envSessionToken, Secret: true, Key: "session-token", Value: "sessionToken", Needs: envAccessKey, Doc: "Session token, where the access key is a temporary one."},
		{Name: envRole, Doc: "Role to take on with the token of AWS_WEB_IDENTITY_TOKEN_FILE. EKS's webhook sets both."},
		{Name: envTokenFile, Doc: "Path of the service account's token, read again for every session."},
		{Name: envSessionName, Doc: "Name of that session. Not set: one that the SDK makes up."},
		{Name: envFIPS, Default: "false", Type: cloud.SettingBool, Value: "useFIPSEndpoint", Doc: "Use the endpoints with validated cryptography."},
		{Name: envDualStack, Default: "false", Type: cloud.SettingBool, Value: "useDualStackEndpoint", Doc: "Use the endpoints that have IPv6 addresses too."},
		{Name: envBundle, Doc: "Path of the certificates, in PEM, of the authorities to trust in place of the system's."},
		{Name: envEndpoint, Value: "endpointURL", Doc: "Endpoint of all services, in place of AWS's. A ServiceOverride in cloud.conf comes first."},
	}
	for _, s := range services {
		settings = append(settings, cloud.Setting{Name: s.env, Doc: "Endpoint of " + s.id + "."})
	}
	return settings
}

// settings are the environment variables that are no secret.
type settings struct {
	region      string
	role        string
	tokenFile   string
	sessionName string
	fips        bool
	dualStack   bool
	bundle      string
	// endpoints are URLs by the id of the service.
	endpoints map[string]string
}

func readSettings(lookup func(string) string) (settings, error) {
	s := settings{
		region: lookup(envRegion), role: lookup(envRole), tokenFile: lookup(envTokenFile), sessionName: lookup(envSessionName),
		bundle: lookup(envBundle), endpoints: map[string]string{},
	}
	if s.region == "" {
		s.region = lookup(envDefaultRegion)
	}
	var problems []error
	for name, into := range map[string]*bool{envFIPS: &s.fips, envDualStack: &s.dualStack} {
		var err error
		if *into, err = strconv.ParseBool(lookup(name)); err != nil {
			problems = append(problems, &cloud.Invalid{Field: name, Value: lookup(name), Want: "want true or false"})
		}
	}
	if s.tokenFile != "" && s.role == "" {
		problems = append(problems, &cloud.Invalid{Field: envRole, Want: "want the role to take on with the token of " + envTokenFile})
	}
	for _, service := range services {
		for _, name := range []string{service.env, envEndpoint} {
			text := lookup(name)
			if text == "" {
				continue
			}
			if !isURL(text) {
				problems = append(problems, &cloud.Invalid{Field: name, Value: text, Want: wantURL})
			}
			s.endpoints[service.id] = text
			break
		}
	}
	return s, errors.Join(problems...)
}
