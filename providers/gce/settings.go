package gce

import (
	"regexp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Environment variables, as Google's libraries and tools name them where they do.
const (
	envCredentials     = "GCE_CREDENTIALS_JSON"           // #nosec G101 -- the name of a variable
	envCredentialsFile = "GOOGLE_APPLICATION_CREDENTIALS" // #nosec G101 -- the name of a variable
	envProject         = "GOOGLE_CLOUD_PROJECT"
	envNodeProjects    = "GCE_NODE_PROJECTS"
	envNetwork         = "GCE_NETWORK"
	envMetadata        = "GCE_METADATA_HOST"
)

func declaredSettings() []cloud.Setting {
	return []cloud.Setting{
		{Name: envCredentials, Secret: true, Value: "json", Key: "credentials.json", Doc: "Credentials in JSON: the key of a service account, or the configuration of workload identity federation. Read again when it changes. Not set: those of " + envCredentialsFile + ", else of the machine this runs on."},
		{Name: envCredentialsFile, Doc: "Path of such credentials, read again when they change."},
		{Name: envProject, Value: "projectID", Doc: "Id or number of the project whose instances are nodes, where the gce.conf has no project-id. Not set: that of the machine this runs on."},
		{Name: envNodeProjects, Value: "nodeProjects", Type: cloud.SettingList, Doc: "Ids of further projects whose instances are nodes, each of them once. Nodes with a provider-ID of any other project are somebody else's."},
		{Name: envNetwork, Value: "network", Doc: "Name of the network that routes are made in, or projects/<project>/global/networks/<name> where it is shared, if the gce.conf has no network-name. Not set: the network of the machine this runs on. With credentials in JSON and a project that machine is not asked, so that there are no routes."},
		{Name: envMetadata, Default: "169.254.169.254", Value: "metadataHost", Doc: "Host, with a port or without, of the metadata server of the machine this runs on. Where HTTP_PROXY is set, NO_PROXY has to cover it."},
	}
}

// settings are the environment variables that are no secret.
type settings struct {
	credentialsFile string
	project         string
	nodeProjects    []string
	network         string
	metadata        string
}

var (
	// An id may begin with a domain, as in "example.com:shop".
	projectID     = regexp.MustCompile(`^([a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]*$`)
	projectNumber = regexp.MustCompile(`^[0-9]+$`)
	hostPort      = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$|^\[[0-9A-Fa-f:]+\](:[0-9]+)?$`)
)

const (
	wantProject = "want the id of a project, such as my-project"
	wantNetwork = "want the name of a network, such as default, or its URL"
)

func readSettings(lookup func(string) string) (settings, error) {
	r := cloud.SettingReader{Lookup: lookup}
	s := settings{credentialsFile: r.Text(envCredentialsFile), project: r.Text(envProject), nodeProjects: r.List(envNodeProjects), network: r.Text(envNetwork), metadata: r.Text(envMetadata)}
	if s.project != "" && !isProject(s.project) {
		r.Refuse(envProject, s.project, wantProject+", or its number")
	}
	for _, project := range s.nodeProjects {
		if !projectID.MatchString(project) {
			r.Refuse(envNodeProjects, project, wantProject+", not its number")
		}
	}
	if s.network != "" && !resourceName.MatchString(last(s.network)) {
		r.Refuse(envNetwork, s.network, wantNetwork)
	}
	if !hostPort.MatchString(s.metadata) {
		r.Refuse(envMetadata, s.metadata, "want a host, or host:port")
	}
	return s, r.Err()
}

func isProject(text string) bool {
	return projectID.MatchString(text) || projectNumber.MatchString(text)
}
