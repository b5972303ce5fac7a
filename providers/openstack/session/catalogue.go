package session

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// catalogue finds endpoints.
type catalogue struct {
	entries       []tokens.CatalogEntry
	region        string
	interfaceName string
	// overrides replace endpoints, by service type.
	overrides map[string]string
}

// missingService says that the catalogue has no endpoint, and what it has instead.
type missingService struct{ message string }

func (e *missingService) Error() string { return e.message }

// endpoint returns the URL of a service, ending with a slash.
func (c catalogue) endpoint(service string) (string, error) {
	if override := c.overrides[service]; override != "" {
		return strings.TrimSuffix(override, "/") + "/", nil
	}
	var others []string
	for _, entry := range c.entries {
		if entry.Type != service {
			continue
		}
		for _, e := range entry.Endpoints {
			if e.Interface == c.interfaceName && (c.region == "" || e.Region == c.region || e.RegionID == c.region) {
				return strings.TrimSuffix(e.URL, "/") + "/", nil
			}
			others = append(others, fmt.Sprintf("%s in region %s", e.Interface, e.Region))
		}
	}
	if len(others) == 0 {
		return "", &missingService{fmt.Sprintf("the cloud has no service %q", service)}
	}
	slices.Sort(others)
	return "", &missingService{fmt.Sprintf("the cloud has no %s endpoint of service %q in region %q, there are: %s; see region and os-endpoint-type in [Global]",
		c.interfaceName, service, c.region, strings.Join(slices.Compact(others), ", "))}
}

// regions are all regions of the cloud, sorted.
func (c catalogue) regions() []string {
	var all []string
	for _, entry := range c.entries {
		for _, e := range entry.Endpoints {
			all = append(all, e.Region)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// splitVersion cuts an endpoint behind its version: "https://nova/v2.1/" and "<project>/". The
// version is "" when the endpoint has none, and root is then all of it.
func splitVersion(endpoint string) (root, version, rest string) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint, "", ""
	}
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	i := slices.IndexFunc(segments, config.IsVersion.MatchString)
	if i < 0 {
		return endpoint, "", ""
	}
	u.Path = path.Join("/", path.Join(segments[:i]...))
	root = strings.TrimSuffix(u.String(), "/") + "/"
	if rest = strings.Join(segments[i+1:], "/"); rest != "" {
		rest += "/"
	}
	return root, segments[i], rest
}

// ComputeMicroversion is the version of Nova's API the driver asks for where there is it
// (since Stein): from 2.47 servers hold the name of their flavor, and from 2.69 those of a cell
// that does not answer are listed with the status UNKNOWN in place of being left out.
const ComputeMicroversion = "2.69"
