package config

import (
	"cmp"
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// options picks the kind of credential and returns what Keystone needs of it. Where values of
// several kinds are set, the first in this order counts, as it does upstream:
//
//	kind                    who                                what for
//	token                   –                                  tenant or trust, else the token's own
//	password                user (trustee-id before user-id)   tenant or trust, else the user's default
//	application credential  by id: –, by name: user            its own project
func (c Credential) options() (gophercloud.AuthOptions, error) {
	if c.trusteeID != "" {
		c.userID, c.username = c.trusteeID, ""
	}
	c.password = cmp.Or(c.trusteePassword, c.password)
	var o gophercloud.AuthOptions
	var problem error
	switch {
	case c.token != "":
		o.TokenID = c.token
		o.Scope, problem = c.scope()
	case c.password != "":
		o.Password = c.password
		o.Scope, problem = c.scope()
		problem = errors.Join(c.user(&o), problem)
	case c.appID != "":
		o.ApplicationCredentialID, o.ApplicationCredentialSecret = c.appID, c.appSecret
	case c.appName != "":
		o.ApplicationCredentialName, o.ApplicationCredentialSecret = c.appName, c.appSecret
		problem = c.user(&o)
	default:
		problem = Missing("password", "want a credential: username and password, application-credential-id and -secret, or token")
	}
	if o.ApplicationCredentialID+o.ApplicationCredentialName != "" && c.appSecret == "" {
		problem = errors.Join(problem, Missing("application-credential-secret", "want the secret of the application credential"))
	}
	return o, problem
}

// user fills in who logs in.
func (c Credential) user(o *gophercloud.AuthOptions) error {
	if c.userID != "" {
		o.UserID = c.userID
		return nil
	}
	if c.username == "" {
		return Missing("username", "want username or user-id")
	}
	o.Username = c.username
	o.DomainID, o.DomainName = domain(c.userDomainID, c.userDomainName, c.domainID, c.domainName)
	if o.DomainID+o.DomainName == "" {
		return Missing("user-domain-name", "a username needs its domain: user-domain-id, user-domain-name, domain-id or domain-name")
	}
	return nil
}

// scope is what the token is asked for, nil for what it has by itself.
func (c Credential) scope() (*gophercloud.AuthScope, error) {
	switch {
	case c.trustID != "":
		return &gophercloud.AuthScope{TrustID: c.trustID}, nil
	case c.projectID != "":
		return &gophercloud.AuthScope{ProjectID: c.projectID}, nil
	case c.projectName == "":
		// Not nil: the library would make one from other fields.
		return &gophercloud.AuthScope{}, nil
	}
	s := &gophercloud.AuthScope{ProjectName: c.projectName}
	s.DomainID, s.DomainName = domain(c.projectDomainID, c.projectDomainName, c.domainID, c.domainName)
	if s.DomainID+s.DomainName == "" {
		// A user of one domain seldom works in another.
		s.DomainID, s.DomainName = domain(c.userDomainID, c.userDomainName, "", "")
	}
	if s.DomainID+s.DomainName == "" {
		return nil, Missing("tenant-domain-name", "a tenant-name needs its domain: tenant-domain-id, tenant-domain-name, domain-id or domain-name")
	}
	return s, nil
}

// domain returns the domain's own id or name, else the common one; an id counts before a name.
func domain(id, name, commonID, commonName string) (string, string) {
	if id+name == "" {
		id, name = commonID, commonName
	}
	if id != "" {
		return id, ""
	}
	return "", name
}

// keystone returns the base URL of version 3 of the identity API. The URL itself says whether
// it has a version, so none is asked for.
func (c Credential) keystone() (string, error) {
	if c.authURL == "" {
		return "", Missing("auth-url", "want the URL of Keystone such as https://cloud.example.com:5000/v3")
	}
	u, err := url.Parse(c.authURL)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		// The value is left out: a URL may carry a password.
		return "", &cloud.Invalid{Field: GlobalField("auth-url"), Value: "…", Want: "want an absolute http or https URL without user and password"}
	}
	u.RawQuery, u.Fragment = "", ""
	base := strings.TrimSuffix(u.Path, "/")
	switch last := path.Base(base); {
	case last == "v3":
	case IsVersion.MatchString(last):
		return "", &cloud.Invalid{Field: GlobalField("auth-url"), Value: u.String(), Want: "want version 3 of the identity API: …/v3"}
	default:
		base += "/v3"
	}
	u.Path = base + "/"
	return u.String(), nil
}

// IsVersion matches the part of a path that is the version of an API.
var IsVersion = regexp.MustCompile(`^v\d+(\.\d+)?$`)

// GlobalField names a key of [Global] in messages.
func GlobalField(key string) string { return "[" + sectionGlobal + "] " + key }

// Missing says that a key of [Global] is not set, and what is wanted.
func Missing(key, want string) error { return &cloud.Invalid{Field: GlobalField(key), Want: want} }
