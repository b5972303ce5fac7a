package config

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloudconf"

// Global is [Global], and what a clouds.yaml adds to it.
type Global struct {
	Credential
	TLS          TLSFiles
	Region       string
	endpointType string

	useClouds  bool
	cloudsFile string
	cloud      string

	// Endpoints replace those of the catalogue, by service type. Only a clouds.yaml has them.
	Endpoints map[string]string
}

// Credential are the values of all kinds of credentials together; options picks the kind.
type Credential struct {
	authURL string

	username, userID, password   string
	userDomainID, userDomainName string
	projectID, projectName       string
	projectDomainID              string
	projectDomainName            string
	domainID, domainName         string // of user and project where those have none
	appID, appName, appSecret    string
	token                        string
	trustID                      string
	trusteeID, trusteePassword   string
}

func (g *Global) keys() []cloudconf.Key {
	return []cloudconf.Key{
		{Name: "auth-url", Value: cloudconf.Text(&g.authURL), Doc: "URL of Keystone, the identity service, such as https://cloud.example.com:5000/v3."},
		{Name: "username", Value: cloudconf.Text(&g.username), Doc: "User to log in as, or that the application credential of application-credential-name belongs to."},
		{Name: "user-id", Value: cloudconf.Text(&g.userID), Doc: "Id of the user, in place of username and its domain."},
		{Name: "password", Value: cloudconf.Secret(&g.password), Doc: "Password of the user."},
		{Name: "tenant-id", Value: cloudconf.Text(&g.projectID), Doc: "Id of the project."},
		{Name: "tenant-name", Value: cloudconf.Text(&g.projectName), Doc: "Name of the project."},
		{Name: "user-domain-id", Value: cloudconf.Text(&g.userDomainID), Doc: "Id of the user's domain."},
		{Name: "user-domain-name", Value: cloudconf.Text(&g.userDomainName), Doc: "Name of the user's domain."},
		{Name: "tenant-domain-id", Value: cloudconf.Text(&g.projectDomainID), Doc: "Id of the project's domain."},
		{Name: "tenant-domain-name", Value: cloudconf.Text(&g.projectDomainName), Doc: "Name of the project's domain."},
		{Name: "domain-id", Value: cloudconf.Text(&g.domainID), Doc: "Id of the domain of user and project, where they have none of their own."},
		{Name: "domain-name", Value: cloudconf.Text(&g.domainName), Doc: "Name of the domain of user and project, where they have none of their own."},
		{Name: "application-credential-id", Value: cloudconf.Text(&g.appID), Doc: "Id of an application credential. The project is its own."},
		{Name: "application-credential-name", Value: cloudconf.Text(&g.appName), Doc: "Name of an application credential of the user."},
		{Name: "application-credential-secret", Value: cloudconf.Secret(&g.appSecret), Doc: "Secret of the application credential."},
		{Name: "token", Value: cloudconf.Secret(&g.token), Doc: "A token that was issued before. It cannot be renewed when it expires."},
		{Name: "trust-id", Value: cloudconf.Text(&g.trustID), Doc: "Trust whose project and rights are used."},
		{Name: "trustee-id", Value: cloudconf.Text(&g.trusteeID), Doc: "Id of the user the trust was given to, in place of user-id."},
		{Name: "trustee-password", Value: cloudconf.Secret(&g.trusteePassword), Doc: "Password of that user, in place of password."},
		{Name: "region", Value: cloudconf.Text(&g.Region), Doc: "Region whose endpoints are used, and the region label of nodes. Not set: the first of the catalogue, and no label."},
		{Name: "os-endpoint-type", Value: cloudconf.Choice(&g.endpointType, endpointTypes...), Doc: "Which endpoints of the catalogue are used. Not set: public."},
		{Name: "ca-file", Value: cloudconf.Text(&g.TLS.CA), Doc: "Path of the certificates, in PEM, of the authorities to trust in place of the system's. Read again when it changes."},
		{Name: "cafilecontents", Value: cloudconf.Text(&g.TLS.CAContent), Doc: "The same certificates themselves."},
		{Name: "cert-file", Value: cloudconf.Text(&g.TLS.Cert), Doc: "Path of a client certificate. Needs key-file. Read again for every connection."},
		{Name: "key-file", Value: cloudconf.Text(&g.TLS.Key), Doc: "Path of the key of the client certificate."},
		{Name: "tls-insecure", Value: cloudconf.Exactly(&g.TLS.Insecure), Unset: "false", Lenient: true, Doc: "Trust any certificate."},
		{Name: "use-clouds", Value: cloudconf.Boolean(&g.useClouds), Unset: "false", Doc: "Take what is not set here from a clouds.yaml: clouds-file, OS_CLIENT_CONFIG_FILE, or the file clouds.yaml in the working directory, ~/.config/openstack or /etc/openstack. A secure.yaml beside it and a clouds-public.yaml are read too."},
		{Name: "clouds-file", Value: cloudconf.Text(&g.cloudsFile), Doc: "Path of the clouds.yaml."},
		{Name: "cloud", Value: cloudconf.Text(&g.cloud), Doc: "Entry of the clouds.yaml; setting it switches use-clouds on. Not set: OS_CLOUD, or the only entry."},
	}
}

// endpointTypes are the interfaces of the catalogue, with the names they had once.
var endpointTypes = []string{"public", "internal", "admin", "publicURL", "internalURL", "adminURL"}

// TLSFiles say whom to trust and how to be trusted.
type TLSFiles struct {
	CA, CAContent string
	Cert, Key     string
	Insecure      bool
}
