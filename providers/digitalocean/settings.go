package digitalocean

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Environment variables, named as the upstream CCM named them.
const (
	envToken        = "DO_ACCESS_TOKEN"
	envURL          = "DO_OVERRIDE_URL"
	envMetadataURL  = "DO_METADATA_URL"
	envRegion       = "REGION"
	envClusterID    = "DO_CLUSTER_ID"
	envVPC          = "DO_CLUSTER_VPC_ID"
	envQPS          = "DO_API_RATE_LIMIT_QPS"
	envDefaultType  = "DEFAULT_LB_TYPE"
	envFirewallName = "PUBLIC_ACCESS_FIREWALL_NAME"
	envFirewallTags = "PUBLIC_ACCESS_FIREWALL_TAGS"
	envDebug        = "DEBUG_ADDR"
	envMetrics      = "METRICS_ADDR"
)

// Types of balancers, as the API spells them.
const (
	typeRegional = "REGIONAL"
	typeNetwork  = "REGIONAL_NETWORK"
)

func declaredSettings() []cloud.Setting {
	return []cloud.Setting{
		{Name: envToken, Required: true, Secret: true, Doc: "API token. It is read for every request, so a rotated file is used at once.", Value: "token", Key: "access-token"},
		{Name: envURL, Default: "https://api.digitalocean.com", Doc: "Base URL of the API; a path in it is put before every path of the API.", Value: "apiURL"},
		{Name: envMetadataURL, Default: "http://169.254.169.254", Doc: "Base URL of the droplet metadata service, asked for the region when REGION is not set.", Value: "metadataURL"},
		{Name: envRegion, Doc: "Region slug, such as fra1, where balancers are created. Not set: the region of the droplet this runs on, from the metadata service.", Value: "region"},
		{Name: envClusterID, Doc: "Cluster id; balancers get the tag k8s:<id> that the upstream CCM writes.", Value: "clusterID"},
		{Name: envVPC, Doc: "UUID of the VPC of new balancers. Not set: the region's default VPC.", Value: "vpcID"},
		{Name: envQPS, Doc: "Most requests per second to the API. Not set: what the published limits allow.", Value: "apiQPS", Type: cloud.SettingNumber},
		{Name: envDefaultType, Default: typeNetwork, Doc: "Type of new balancers whose Service names none: REGIONAL or REGIONAL_NETWORK.", Value: "loadBalancer.defaultType", Enum: []string{typeRegional, typeNetwork}},
		{Name: envFirewallName, Doc: "Name of the cloud firewall that lets clients reach NodePort Services and REGIONAL_NETWORK balancers. Needs PUBLIC_ACCESS_FIREWALL_TAGS.", Value: "firewall.name"},
		{Name: envFirewallTags, Doc: "Existing tags, separated by commas, of the droplets the firewall protects. Needs PUBLIC_ACCESS_FIREWALL_NAME.", Value: "firewall.tags", Type: cloud.SettingList},
		{Name: envDebug, Doc: "Accepted for compatibility and ignored: health is served by --secure-port at /healthz, without a request to the API."},
		{Name: envMetrics, Doc: "Accepted for compatibility and ignored: metrics are served by --secure-port at /metrics."},
	}
}

// settings are the validated environment variables.
type settings struct {
	baseURL      *url.URL
	metadataURL  *url.URL
	region       string
	clusterID    string
	vpc          string
	defaultType  string
	firewallName string
	firewallTags []string
}

// readSettings validates all variables and reports every problem at once.
func readSettings(c cloud.Config) (settings, error) {
	get := func(name string) string { return strings.TrimSpace(c.Lookup(name)) }
	s := settings{
		region:       get(envRegion),
		clusterID:    get(envClusterID),
		vpc:          get(envVPC),
		defaultType:  get(envDefaultType),
		firewallName: get(envFirewallName),
	}
	for tag := range strings.SplitSeq(get(envFirewallTags), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			s.firewallTags = append(s.firewallTags, tag)
		}
	}
	slices.Sort(s.firewallTags)
	s.firewallTags = slices.Compact(s.firewallTags)

	var problems []error
	s.baseURL = baseURL(envURL, get(envURL), &problems)
	s.metadataURL = baseURL(envMetadataURL, get(envMetadataURL), &problems)
	problems = append(problems, s.problems()...)
	problems = append(problems, checkQPS(get(envQPS)), checkToken(c.Secret))
	return s, errors.Join(problems...)
}

func (s settings) problems() []error {
	var problems []error
	refuse := func(name, value, want string) {
		problems = append(problems, &cloud.Invalid{Field: name, Value: value, Want: want})
	}
	if s.region != "" && !isSlug(s.region) {
		refuse(envRegion, s.region, "want a region slug such as fra1")
	}
	if s.clusterID != "" && !isTag(clusterTag(s.clusterID)) {
		refuse(envClusterID, s.clusterID, "want letters, digits, ':', '_' and '-', because it becomes a tag")
	}
	if s.vpc != "" && !isIdentifier(s.vpc) {
		refuse(envVPC, s.vpc, "want the UUID of a VPC")
	}
	if s.defaultType != typeRegional && s.defaultType != typeNetwork {
		refuse(envDefaultType, s.defaultType, "want REGIONAL or REGIONAL_NETWORK")
	}
	if (s.firewallName == "") != (len(s.firewallTags) == 0) {
		refuse(envFirewallName, s.firewallName, "want both "+envFirewallName+" and "+envFirewallTags+", or neither")
	}
	if len(s.firewallTags) > maxFirewallTags {
		refuse(envFirewallTags, strings.Join(s.firewallTags, ","), fmt.Sprintf("a firewall has at most %d tags", maxFirewallTags))
	}
	for _, tag := range s.firewallTags {
		if !isTag(tag) {
			refuse(envFirewallTags, tag, "want tags of letters, digits, ':', '_' and '-'")
		}
	}
	return problems
}

func baseURL(name, value string, problems *[]error) *url.URL {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		// The value is left out: a URL may carry a password.
		*problems = append(*problems, fmt.Errorf("%s: want an absolute http or https URL", name))
		return nil
	}
	if u.Path == "" {
		u.Path = "/" // so that what is joined to it is absolute
	}
	return u
}

func checkQPS(value string) error {
	if value == "" {
		return nil
	}
	if qps, err := strconv.ParseFloat(value, 64); err != nil || !(qps > 0) {
		return &cloud.Invalid{Field: envQPS, Value: value, Want: "want a number of requests per second above 0"}
	}
	return nil
}

func checkToken(secret func(string) (string, error)) error {
	token, err := secret(envToken)
	if err != nil {
		return fmt.Errorf("reading %s: %w", envToken, err)
	}
	if strings.TrimSpace(token) == "" {
		return fmt.Errorf("%s: want an API token, or %s_FILE with the path of one", envToken, envToken)
	}
	return nil
}
