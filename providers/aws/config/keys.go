package config

import (
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloudconf"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// SectionGlobal is the section with all keys but those of ServiceOverride.
const SectionGlobal = "Global"

// file declares cloud.conf.
func (f *File) file() cloudconf.File {
	return cloudconf.File{
		Sections: []cloudconf.Section{
			{Name: SectionGlobal, Keys: f.keys()},
			{Name: sectionOverride, Named: f.Overrides.keys},
		},
		Legacy: map[string]string{
			"[global] disablestrictzonecheck": "it was removed long ago; zones are never checked",
			"[global] elbsecuritygroups":      "the key is called ElbSecurityGroup",
		},
	}
}

func (f *File) keys() []cloudconf.Key {
	c := &f.Config
	return []cloudconf.Key{
		{Name: "Zone", Value: zoneValue(&f.zoneRegion), Doc: "A zone, such as eu-central-1a. Nothing but the region is taken from it, and that comes before Region."},
		{Name: "Region", Value: cloudconf.Identifier(&f.Region), Doc: "Region. Not set: AWS_REGION, AWS_DEFAULT_REGION, the region of the profile, that of the machine this runs on."},
		{Name: "VPC", Value: idValue(&c.Cluster.VPC, "vpc-"), Doc: "VPC of the cluster. Not set: that of the machine this runs on. With a cluster id and SubnetID or RoleARN nothing is asked of that machine, which may be anywhere then."},
		{Name: "SubnetID", Value: idValue(&c.FallbackSubnet, "subnet-"), Doc: "Subnet of balancers where none is found by tags. Not set: that of the machine this runs on."},
		{Name: "RouteTableID", Value: idsValue(&c.RouteTables, "rtb-"), Doc: "Route table that gets the routes to pods. Several, separated by commas or in several lines, get all of them. Not set: those that have the cluster's tag."},
		{Name: "RoleARN", Value: roleValue(&f.Role.Arn), Doc: "Role to take on, such as arn:aws:iam::123456789012:role/ccm, with whatever credentials there are."},
		{Name: "SourceARN", Value: arnValue(&f.Role.Source), Doc: "Sent as x-amz-source-arn when the role is taken on, against the confused deputy problem."},
		{Name: "ExternalID", Value: cloudconf.Text(&f.Role.ExternalID), Doc: "External id that the role's trust policy asks for. Upstream has no such key."},
		{Name: "RoleSessionName", Value: sessionNameValue(&f.Role.Session), Doc: "Name of the session, which audit logs show. Not set: one that the SDK makes up. Upstream has no such key."},
		{Name: "RoleSessionDuration", Value: sessionDurationValue(&f.Role.Duration), Unset: "15m", Doc: "How long a session is valid before it is renewed. Upstream has no such key."},
		{Name: "KubernetesClusterTag", Value: tagValue(&f.clusterTag), Doc: "Cluster id of clusters that tag with KubernetesCluster=<id> too."},
		{Name: "KubernetesClusterID", Value: tagValue(&f.clusterID), Doc: "Cluster id: what the tags kubernetes.io/cluster/<id> of machines, subnets and security groups end with. Not set: it is read from the tags of the machine this runs on."},
		{Name: "DisableSecurityGroupIngress", Value: cloudconf.Boolean(&c.Balancer.LeaveNodeGroups), Unset: "false", Doc: "Leave the security groups of nodes alone; somebody else has to let balancers through."},
		{Name: "ElbSecurityGroup", Value: idValue(&c.Balancer.Group, "sg-"), Doc: "Security group of all classic balancers, in place of one each. It is not changed."},
		{Name: "NodeIPFamilies", Value: familiesValue(&c.Families), Doc: "Families of the addresses of Nodes, ipv4 or ipv6, in one line each, the most important first. Not set: ipv4."},
		{Name: "ClusterServiceLoadBalancerHealthProbeMode", Value: cloudconf.Choice(&f.probeMode, probeNodePort, probeShared), Unset: probeNodePort, Doc: "What balancers of Services with externalTrafficPolicy Cluster ask whether a node is healthy: the Service's node port, or kube-proxy."},
		{Name: "ClusterServiceSharedLoadBalancerHealthProbePort", Value: cloudconf.Number(&f.probe.Port, 1, 65535), Unset: "10256", Doc: "Port of kube-proxy's health check in mode Shared."},
		{Name: "ClusterServiceSharedLoadBalancerHealthProbePath", Value: pathValue(&f.probe.Path), Unset: "/healthz", Doc: "Path of kube-proxy's health check in mode Shared."},
		{Name: "SupportedTopologyInstanceTypePattern", Value: patternValue(&c.TopologyPattern), Unset: topologyPattern, Doc: "Instance types, as a regular expression, whose Nodes are initialised with labels of the network's topology only."},
		{Name: "NLBSecurityGroupMode", Value: cloudconf.Choice(&f.groupMode, groupsManaged), Doc: "Managed: new network balancers get a security group of their own. Not set: they have none."},
	}
}

// Values of keys.
const (
	probeNodePort   = "ServiceNodePort"
	probeShared     = "Shared"
	groupsManaged   = "Managed"
	topologyPattern = `^(hpc|trn|p)[0-9]+[a-z]*(-[a-z0-9]+)?(\.[0-9a-z]*)$`
)

// Keys are the declarations of all keys, for the documentation.
func Keys() []cloud.ConfigKey {
	f := File{Overrides: Overrides{}}
	return f.file().Keys()
}

// checked is a value that is empty or as it has to be.
func checked(kind string, into *string, want string, ok func(string) bool) cloudconf.Value {
	return cloudconf.Value{Kind: kind, Set: func(t string) string {
		if t != "" && !ok(t) {
			return want
		}
		*into = t
		return ""
	}}
}

// idValue is the id of an object of EC2.
func idValue(into *string, prefix string) cloudconf.Value {
	return checked("id", into, wantID(prefix), func(t string) bool { return isID(t, prefix) })
}

func isID(text, prefix string) bool {
	return strings.HasPrefix(text, prefix) && len(text) > len(prefix) && cloudconf.IsIdentifier(text)
}

func wantID(prefix string) string { return "want an id such as " + prefix + "0123456789abcdef0" }

// idsValue is a list in one line or several.
func idsValue(into *[]string, prefix string) cloudconf.Value {
	return cloudconf.Value{Kind: "ids", Alone: func() { *into = nil }, Set: func(t string) string {
		for item := range strings.SplitSeq(t, ",") {
			item = strings.TrimSpace(item)
			switch {
			case isID(item, prefix):
				*into = append(*into, item)
			case item != "":
				return wantID(prefix) + ", or several separated by commas"
			}
		}
		return ""
	}}
}

var regionOfZone = regexp.MustCompile(`^([a-zA-Z]+-)+\d+`)

// zoneValue takes the region from a zone, as upstream does.
func zoneValue(into *string) cloudconf.Value {
	return cloudconf.Value{Kind: "zone", Set: func(t string) string {
		*into = regionOfZone.FindString(t)
		if t != "" && *into == "" {
			return "want a zone such as eu-central-1a"
		}
		return ""
	}}
}

func roleValue(into *string) cloudconf.Value {
	return checked("ARN", into, "want the ARN of a role such as arn:aws:iam::123456789012:role/ccm", func(t string) bool {
		a, err := arn.Parse(t)
		return err == nil && strings.HasPrefix(a.Resource, "role/")
	})
}

func arnValue(into *string) cloudconf.Value {
	return checked("ARN", into, "want an ARN such as arn:aws:eks:eu-central-1:123456789012:cluster/name", arn.IsARN)
}

var sessionNames = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)

func sessionNameValue(into *string) cloudconf.Value {
	return checked("text", into, "want 2 to 64 letters, digits or characters of _+=,.@-", sessionNames.MatchString)
}

// sessionDurationValue has AWS's limits.
func sessionDurationValue(into *time.Duration) cloudconf.Value {
	const least, most = 15 * time.Minute, 12 * time.Hour
	v := cloudconf.Duration(into)
	set := v.Set
	v.Set = func(t string) string {
		before := *into
		want := set(t)
		if want == "" && (*into < least || *into > most) {
			*into, want = before, "want a time from 15m to 12h"
		}
		return want
	}
	return v
}

// tagValue becomes a part of the keys of tags, which have at most 128 characters.
func tagValue(into *string) cloudconf.Value {
	return checked("text", into, "want a cluster id of at most 106 characters, without white space around it", func(t string) bool {
		return len(tag.ClusterPrefix+t) <= 128 && strings.TrimSpace(t) == t
	})
}

func familiesValue(into *[]string) cloudconf.Value {
	return cloudconf.Value{Kind: "ipv4, ipv6", Alone: func() { *into = nil }, Set: func(t string) string {
		if t != familyIPv4 && t != familyIPv6 {
			return "want ipv4 or ipv6, and a line for each"
		}
		*into = append(*into, t)
		return ""
	}}
}

func pathValue(into *string) cloudconf.Value {
	return cloudconf.Value{Kind: "path", Set: func(t string) string {
		if !strings.HasPrefix(t, "/") {
			return "want a path such as /healthz"
		}
		*into = t
		return ""
	}}
}

func patternValue(into **regexp.Regexp) cloudconf.Value {
	return cloudconf.Value{Kind: "regular expression", Set: func(t string) string {
		if t == "" {
			t = topologyPattern
		}
		p, err := regexp.Compile(t)
		if err != nil {
			return "want a regular expression: " + err.Error()
		}
		*into = p
		return ""
	}}
}
