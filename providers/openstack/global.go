package openstack

// globalConfig is [Global], and what a clouds.yaml adds to it.
type globalConfig struct {
	credential
	tls          tlsFiles
	region       string
	endpointType string

	useClouds  bool
	cloudsFile string
	cloud      string

	// endpoints replace those of the catalogue, by service type. Only a clouds.yaml has them.
	endpoints map[string]string
}

// credential are the values of all kinds of credentials together; options picks the kind.
type credential struct {
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

func (g *globalConfig) keys() []key {
	return []key{
		{name: "auth-url", value: text(&g.authURL), doc: "URL of Keystone, the identity service, such as https://cloud.example.com:5000/v3."},
		{name: "username", value: text(&g.username), doc: "User to log in as, or that the application credential of application-credential-name belongs to."},
		{name: "user-id", value: text(&g.userID), doc: "Id of the user, in place of username and its domain."},
		{name: "password", value: secret(&g.password), doc: "Password of the user."},
		{name: "tenant-id", value: text(&g.projectID), doc: "Id of the project."},
		{name: "tenant-name", value: text(&g.projectName), doc: "Name of the project."},
		{name: "user-domain-id", value: text(&g.userDomainID), doc: "Id of the user's domain."},
		{name: "user-domain-name", value: text(&g.userDomainName), doc: "Name of the user's domain."},
		{name: "tenant-domain-id", value: text(&g.projectDomainID), doc: "Id of the project's domain."},
		{name: "tenant-domain-name", value: text(&g.projectDomainName), doc: "Name of the project's domain."},
		{name: "domain-id", value: text(&g.domainID), doc: "Id of the domain of user and project, where they have none of their own."},
		{name: "domain-name", value: text(&g.domainName), doc: "Name of the domain of user and project, where they have none of their own."},
		{name: "application-credential-id", value: text(&g.appID), doc: "Id of an application credential. The project is its own."},
		{name: "application-credential-name", value: text(&g.appName), doc: "Name of an application credential of the user."},
		{name: "application-credential-secret", value: secret(&g.appSecret), doc: "Secret of the application credential."},
		{name: "token", value: secret(&g.token), doc: "A token that was issued before. It cannot be renewed when it expires."},
		{name: "trust-id", value: text(&g.trustID), doc: "Trust whose project and rights are used."},
		{name: "trustee-id", value: text(&g.trusteeID), doc: "Id of the user the trust was given to, in place of user-id."},
		{name: "trustee-password", value: secret(&g.trusteePassword), doc: "Password of that user, in place of password."},
		{name: "region", value: text(&g.region), doc: "Region whose endpoints are used, and the region label of nodes. Not set: the first of the catalogue, and no label."},
		{name: "os-endpoint-type", value: choice(&g.endpointType, endpointTypes...), doc: "Which endpoints of the catalogue are used. Not set: public."},
		{name: "ca-file", value: text(&g.tls.ca), doc: "Path of the certificates, in PEM, of the authorities to trust in place of the system's. Read again when it changes."},
		{name: "cafilecontents", value: text(&g.tls.caContent), doc: "The same certificates themselves."},
		{name: "cert-file", value: text(&g.tls.cert), doc: "Path of a client certificate. Needs key-file. Read again for every connection."},
		{name: "key-file", value: text(&g.tls.key), doc: "Path of the key of the client certificate."},
		{name: "tls-insecure", value: exactly(&g.tls.insecure), unset: "false", lenient: true, doc: "Trust any certificate."},
		{name: "use-clouds", value: boolean(&g.useClouds), unset: "false", doc: "Take what is not set here from a clouds.yaml: clouds-file, OS_CLIENT_CONFIG_FILE, or the file clouds.yaml in the working directory, ~/.config/openstack or /etc/openstack. A secure.yaml beside it and a clouds-public.yaml are read too."},
		{name: "clouds-file", value: text(&g.cloudsFile), doc: "Path of the clouds.yaml."},
		{name: "cloud", value: text(&g.cloud), doc: "Entry of the clouds.yaml; setting it switches use-clouds on. Not set: OS_CLOUD, or the only entry."},
	}
}

// endpointTypes are the interfaces of the catalogue, with the names they had once.
var endpointTypes = []string{"public", "internal", "admin", "publicURL", "internalURL", "adminURL"}
