// Package config reads the environment variables.
package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/identifier"
)

// Environment variables, named as the upstream CCM named them.
const (
	EnvToken        = "DO_ACCESS_TOKEN"
	EnvURL          = "DO_OVERRIDE_URL"
	EnvMetadataURL  = "DO_METADATA_URL"
	EnvRegion       = "REGION"
	EnvClusterID    = "DO_CLUSTER_ID"
	EnvVPC          = "DO_CLUSTER_VPC_ID"
	EnvQPS          = "DO_API_RATE_LIMIT_QPS"
	EnvDefaultType  = "DEFAULT_LB_TYPE"
	EnvFirewallName = "PUBLIC_ACCESS_FIREWALL_NAME"
	EnvFirewallTags = "PUBLIC_ACCESS_FIREWALL_TAGS"
	EnvDebug        = "DEBUG_ADDR"
	EnvMetrics      = "METRICS_ADDR"
)

// Types of balancers, as the API spells them.
const (
	TypeRegional = "REGIONAL"
	TypeNetwork  = "REGIONAL_NETWORK"
)

// Declared are the settings that users can make.
func Declared() []cloud.Setting {
	return []cloud.Setting{
		{Name: EnvToken, Required: true, Secret: true, Doc: "API token. It is read for every request, so a rotated file is used at once.", Value: "token", Key: "access-token"},
		{Name: EnvURL, Default: "https://api.digitalocean.com", Doc: "Base URL of the API; a path in it is put before every path of the API.", Value: "apiURL"},
		{Name: EnvMetadataURL, Default: "http://169.254.169.254", Doc: "Base URL of the droplet metadata service, asked for the region when REGION is not set.", Value: "metadataURL"},
		{Name: EnvRegion, Doc: "Region slug, such as fra1, where balancers are created. Not set: the region of the droplet this runs on, from the metadata service.", Value: "region"},
		{Name: EnvClusterID, Doc: "Cluster id; balancers get the tag k8s:<id> that the upstream CCM writes.", Value: "clusterID"},
		{Name: EnvVPC, Doc: "UUID of the VPC of new balancers. Not set: the region's default VPC.", Value: "vpcID"},
		{Name: EnvQPS, Doc: "Most requests per second to the API. Not set: what the published limits allow.", Value: "apiQPS", Type: cloud.SettingNumber},
		{Name: EnvDefaultType, Default: TypeNetwork, Doc: "Type of new balancers whose Service names none: REGIONAL or REGIONAL_NETWORK.", Value: "loadBalancer.defaultType", Enum: []string{TypeRegional, TypeNetwork}},
		{Name: EnvFirewallName, Doc: "Name of the cloud firewall that lets clients reach NodePort Services and REGIONAL_NETWORK balancers. Needs PUBLIC_ACCESS_FIREWALL_TAGS.", Value: "firewall.name"},
		{Name: EnvFirewallTags, Doc: "Existing tags, separated by commas, of the droplets the firewall protects. Needs PUBLIC_ACCESS_FIREWALL_NAME.", Value: "firewall.tags", Type: cloud.SettingList},
		{Name: EnvDebug, Doc: "Accepted for compatibility and ignored: health is served by --secure-port at /healthz, without a request to the API."},
		{Name: EnvMetrics, Doc: "Accepted for compatibility and ignored: metrics are served by --secure-port at /metrics."},
	}
}

// Settings are the validated environment variables.
type Settings struct {
	BaseURL     *url.URL
	MetadataURL *url.URL
	Region      string
	// ClusterTag is upstream's tag of the cluster, "" where it has no id.
	ClusterTag   string
	Vpc          string
	DefaultType  string
	FirewallName string
	FirewallTags []string
}

// Read validates all variables and reports every problem at once.
func Read(c cloud.Config) (Settings, error) {
	r := &cloud.SettingReader{Lookup: c.Lookup, Secret: c.Secret}
	s := Settings{
		BaseURL:      r.BaseURL(EnvURL),
		MetadataURL:  r.BaseURL(EnvMetadataURL),
		Region:       r.Text(EnvRegion),
		Vpc:          strings.ToLower(r.Text(EnvVPC)),
		DefaultType:  r.Text(EnvDefaultType),
		FirewallName: r.Text(EnvFirewallName),
		FirewallTags: r.List(EnvFirewallTags),
	}
	if id := r.Text(EnvClusterID); id != "" {
		s.ClusterTag = ClusterPrefix + id
	}
	slices.Sort(s.FirewallTags)
	s.FirewallTags = slices.Compact(s.FirewallTags)
	s.check(r.Refuse)
	r.Positive(EnvQPS, "want a number of requests per second above 0") // the kernel reads it
	return s, r.Err()
}

func (s Settings) check(refuse func(name, value, want string)) {
	if s.Region != "" && !identifier.IsSlug(s.Region) {
		refuse(EnvRegion, s.Region, "want a region slug such as fra1")
	}
	if s.ClusterTag != "" && !identifier.IsTag(s.ClusterTag) {
		refuse(EnvClusterID, strings.TrimPrefix(s.ClusterTag, ClusterPrefix), "want letters, digits, ':', '_' and '-', because it becomes a tag")
	}
	if s.Vpc != "" && !identifier.IsUUID(s.Vpc) {
		refuse(EnvVPC, s.Vpc, "want the UUID of a VPC, such as "+identifier.SampleUUID)
	}
	if s.DefaultType != TypeRegional && s.DefaultType != TypeNetwork {
		refuse(EnvDefaultType, s.DefaultType, "want REGIONAL or REGIONAL_NETWORK")
	}
	if (s.FirewallName == "") != (len(s.FirewallTags) == 0) {
		refuse(EnvFirewallName, s.FirewallName, "want both "+EnvFirewallName+" and "+EnvFirewallTags+", or neither")
	}
	if len(s.FirewallTags) > maxFirewallTags {
		refuse(EnvFirewallTags, strings.Join(s.FirewallTags, ","), fmt.Sprintf("a firewall has at most %d tags", maxFirewallTags))
	}
	for _, tag := range s.FirewallTags {
		if !identifier.IsTag(tag) {
			refuse(EnvFirewallTags, tag, "want tags of letters, digits, ':', '_' and '-'")
		}
	}
}

// ClusterPrefix begins the tag of load balancers with which upstream says of which cluster they are.
const ClusterPrefix = "k8s:"

// maxFirewallTags is the most tags that a firewall can have.
const maxFirewallTags = 5
