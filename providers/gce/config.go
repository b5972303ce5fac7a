package gce

import (
	"errors"
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloudconf"
)

// config is the content of gce.conf, as far as nodes and routes need it.
type config struct {
	tokenURL, tokenBody string
	project             string
	stackType           string
	endpoint            string
	// networkProject and network are where routes are.
	networkProject, network string
	// secondaryRange is the range of the subnetwork that has the pods: they need no routes.
	secondaryRange string
}

// The values of keys that mean more than a text.
const (
	tokenDefault = "nil" // of token-url
	stackIPv6    = "IPV6"
)

// section is the only one of a gce.conf.
const section = "Global"

// Why keys have no effect yet, or any more.
const (
	forBalancers = " It is read and has no effect before load balancers are here."
	allZones     = " It is read and has no effect: instances of all zones are found."
)

// file declares every key that upstream reads.
func (c *config) file() cloudconf.File {
	unread := cloudconf.Unread()
	return cloudconf.File{Sections: []cloudconf.Section{{Name: section, Keys: []cloudconf.Key{
		{Name: "project-id", Value: cloudconf.Text(&c.project), Doc: "Id or number of the project whose instances are nodes. Not set: " + envProject + ", else the project of the machine this runs on."},
		{Name: "token-url", Value: cloudconf.Text(&c.tokenURL), Doc: "URL that answers a POST of token-body with an access token, sent with the machine's own token. nil or not set: the credentials of " + envCredentials + " or " + envCredentialsFile + ", else the machine's."},
		{Name: "token-body", Value: cloudconf.Secret(&c.tokenBody), Doc: "What is sent to token-url. Both are read again for each token."},
		{Name: "api-endpoint", Value: cloudconf.Text(&c.endpoint), Doc: "URL of the Compute API. Not set: https://compute.googleapis.com/compute/v1/, or that of the credentials' universe."},
		{Name: "stack-type", Value: cloudconf.Text(&c.stackType), Doc: "IPV6 puts IPv6 addresses of nodes before IPv4 addresses."},
		{Name: "network-project-id", Value: cloudconf.Text(&c.networkProject), Doc: "Id or number of the project of the network that routes are made in, where it is shared. Not set: the project in network-name, else that of project-id."},
		{Name: "network-name", Value: cloudconf.Text(&c.network), Doc: "Name or URL of that network. Not set: " + envNetwork + ", else the network of the machine this runs on."},
		{Name: "subnetwork-name", Value: unread, Doc: "Name or URL of the subnetwork." + forBalancers},
		{Name: "node-tags", Value: list(), Doc: "Network tags of the nodes that firewall rules name; may stand several times." + forBalancers},
		{Name: "secondary-range-name", Value: cloudconf.Text(&c.secondaryRange), Doc: "Name of the secondary range of the subnetwork that pods have their addresses from: no routes are made then."},
		{Name: "alpha-features", Value: list(), Doc: "Features that are not stable yet; may stand several times." + forBalancers},
		{Name: "local-zone", Value: unread, Doc: "Zone of the machine this runs on." + allZones},
		{Name: "multizone", Value: flag(), Doc: "Look for nodes in all zones of the region." + allZones},
		{Name: "regional", Value: flag(), Doc: "Look for nodes in all zones of the region." + allZones},
		{Name: "node-instance-prefix", Value: unread, Doc: "Beginning of the names of all nodes. It is read and has no effect: lists of instances are not narrowed down."},
		{Name: "container-api-endpoint", Value: unread, Doc: "URL of the API of Google Kubernetes Engine. It is read and has no effect: that API is not asked."},
	}}}}
}

// list and flag are values that nobody reads.
func list() cloudconf.Value { return cloudconf.List(new([]string)) }

func flag() cloudconf.Value { return cloudconf.Boolean(new(bool)) }

func configKeys() []cloud.ConfigKey { return new(config).file().Keys() }

// readConfig reads the file, if there is one. warn may be nil.
func readConfig(file func() ([]byte, error), warn func(string)) (config, error) {
	var c config
	if file == nil {
		return c, nil
	}
	content, err := file()
	if err != nil {
		return c, fmt.Errorf("reading --cloud-config: %w", err)
	}
	warnings, err := c.file().Parse(content)
	if err != nil {
		return c, err
	}
	if warn != nil {
		for _, warning := range warnings {
			warn(warning)
		}
	}
	return c, c.check()
}

// check refuses what cannot be meant. URLs are not shown: they may hold a password.
func (c *config) check() error {
	var problems []error
	for name, value := range map[string]string{"project-id": c.project, "network-project-id": c.networkProject} {
		if value != "" && !isProject(value) {
			problems = append(problems, &cloud.Invalid{Field: "[" + section + "] " + name, Value: value, Want: wantProject + ", or its number"})
		}
	}
	if c.network != "" && !resourceName.MatchString(last(c.network)) {
		problems = append(problems, &cloud.Invalid{Field: "[" + section + "] network-name", Value: c.network, Want: wantNetwork})
	}
	if c.alternate() {
		_, err := cloud.ParseURL("["+section+"] token-url", c.tokenURL)
		problems = append(problems, err)
	}
	if c.endpoint != "" {
		_, err := cloud.ParseURL("["+section+"] api-endpoint", c.endpoint)
		problems = append(problems, err)
	}
	if c.endpoint != "" && !strings.HasSuffix(c.endpoint, "/") {
		c.endpoint += "/"
	}
	return errors.Join(problems...)
}

// alternate says whether tokens come from token-url.
func (c *config) alternate() bool { return c.tokenURL != "" && c.tokenURL != tokenDefault }
