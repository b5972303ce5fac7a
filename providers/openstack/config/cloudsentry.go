package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// authTypes are the kinds of credentials by their names in clouds.yaml.
var authTypes = map[string]string{
	"password": kindPassword, "v3password": kindPassword,
	"token": kindToken, "v3token": kindToken,
	"v3applicationcredential": kindApplication,
}

const (
	kindPassword    = "password"
	kindToken       = "token"
	kindApplication = "application credential"
)

// alternatives are values of which one makes the others needless.
type alternatives []struct {
	into  *string
	value scalar
}

// fill takes over what [Global] does not say in any of its ways.
func (g *Global) fill(e cloudsEntry) error {
	a := e.Auth
	kind := g.kind()
	if kind == "" && e.AuthType != "" {
		if kind = authTypes[string(e.AuthType)]; kind == "" {
			return &cloud.Invalid{Field: "auth_type of the clouds.yaml", Value: string(e.AuthType), Want: "want password, token or v3applicationcredential"}
		}
	}
	all := []alternatives{
		{{&g.authURL, a.AuthURL}},
		{{&g.userID, a.UserID}, {&g.username, a.Username}},
		{{&g.userDomainID, a.UserDomainID}, {&g.userDomainName, a.UserDomainName}},
		{{&g.projectID, a.ProjectID}, {&g.projectID, a.TenantID}, {&g.projectName, a.ProjectName}, {&g.projectName, a.TenantName}},
		{{&g.projectDomainID, a.ProjectDomainID}, {&g.projectDomainName, a.ProjectDomainName}},
		{{&g.domainID, a.DomainID}, {&g.domainName, a.DomainName}, {&g.domainID, a.DefaultDomain}},
		{{&g.trustID, a.TrustID}},
		{{&g.Region, e.Region}},
		{{&g.endpointType, e.EndpointType}, {&g.endpointType, e.Interface}},
	}
	if kind == "" || kind == kindPassword {
		all = append(all, alternatives{{&g.password, a.Password}})
	}
	if kind == "" || kind == kindToken {
		all = append(all, alternatives{{&g.token, a.Token}})
	}
	if kind == "" || kind == kindApplication {
		all = append(all, alternatives{{&g.appID, a.AppID}, {&g.appName, a.AppName}}, alternatives{{&g.appSecret, a.AppSecret}})
	}
	for _, options := range all {
		options.fill()
	}
	g.fillTLS(e)
	g.Endpoints = map[string]string{
		ServiceIdentity: string(e.IdentityEndpoint), ServiceCompute: string(e.ComputeEndpoint), ServiceNetwork: string(e.NetworkEndpoint),
		ServiceBalancer: string(e.BalancerEndpoint), ServiceSecrets: string(e.SecretsEndpoint),
	}
	if g.endpointType != "" && !slices.Contains(endpointTypes, g.endpointType) {
		return &cloud.Invalid{Field: "interface of the clouds.yaml", Value: g.endpointType, Want: "want public, internal or admin"}
	}
	return nil
}

func (a alternatives) fill() {
	for _, option := range a {
		if *option.into != "" {
			return
		}
	}
	for _, option := range a {
		if option.value != "" {
			*option.into = string(option.value)
			return
		}
	}
}

func (g *Global) fillTLS(e cloudsEntry) {
	if g.TLS.CA+g.TLS.CAContent == "" {
		g.TLS.CA = fromHome(e.CA)
		g.TLS.Insecure = g.TLS.Insecure || e.Verify != nil && !*e.Verify
	}
	if g.TLS.Cert+g.TLS.Key == "" {
		g.TLS.Cert, g.TLS.Key = fromHome(e.Cert), fromHome(e.Key)
	}
}

// fromHome replaces the ~ of a path.
func fromHome(path scalar) string {
	rest, ok := strings.CutPrefix(string(path), "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return string(path)
	}
	return filepath.Join(home, rest)
}

// kind is the kind of credential of [Global], "" when it has none: then no other kind is
// taken from the clouds.yaml.
func (c Credential) kind() string {
	switch {
	case c.token != "":
		return kindToken
	case c.password+c.trusteePassword != "":
		return kindPassword
	case c.appID+c.appName+c.appSecret != "":
		return kindApplication
	}
	return ""
}
