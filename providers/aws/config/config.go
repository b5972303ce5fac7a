// Package config reads cloud.conf and the environment variables. It calls nothing.
package config

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The values of NodeIPFamilies.
const (
	familyIPv4 = "ipv4"
	familyIPv6 = "ipv6"
)

// Config is what cloud.conf and the settings say, checked and with defaults filled in.
type Config struct {
	// ClusterName is --cluster-name, a part of names upstream gives.
	ClusterName string
	Region      string
	// Cluster is the Kubernetes cluster; what cloud.conf does not say is learnt from the machine
	// this runs on.
	Cluster tag.Cluster
	// FallbackSubnet is where balancers go when discovery finds no subnet, "" for nowhere.
	FallbackSubnet string
	// RouteTables are the ids of the tables that pod routes go into; none means those with the
	// Cluster's tag.
	RouteTables []string
	// Families are the address families of Nodes, "ipv4" and "ipv6", in their order.
	Families []string
	// TopologyPattern matches the instance types whose topology labels are mandatory.
	TopologyPattern *regexp.Regexp

	Balancer Balancer
}

// Balancer is what balancers have in common.
type Balancer struct {
	// LeaveNodeGroups says that the security groups of nodes are not ours to change.
	LeaveNodeGroups bool
	// Group is the security group of every classic balancer, instead of one of its own; "" for none.
	Group string
	// ManagedGroups says that new network balancers get a security group of their own
	// (NLBSecurityGroupMode=Managed).
	ManagedGroups bool
	// Probe is the health check of Services without externalTrafficPolicy Local in
	// ClusterServiceLoadBalancerHealthProbeMode=Shared, nil in the default mode.
	Probe *Probe
}

// Probe asks kube-proxy, or who stands in for it, over HTTP.
type Probe struct {
	Port int
	Path string
}

// File is the content of cloud.conf: what the driver's parts need, and what is needed only
// to reach the cloud.
type File struct {
	Config     Config
	Region     string
	zoneRegion string // of Zone, before region
	Role       Role
	Overrides  Overrides

	clusterID, clusterTag string
	probeMode             string
	probe                 Probe
	groupMode             string
}

// Role is one to take on, none when its arn is "".
type Role struct {
	Arn        string
	Source     string // SourceARN
	ExternalID string
	Session    string
	Duration   time.Duration
}

// Account returns the account that the role belongs to.
func (r Role) Account() string {
	a, err := arn.Parse(r.Arn)
	if err != nil {
		return ""
	}
	return a.AccountID
}

// unused says what is set about a role where there is none.
func (r Role) unused() []string {
	var warnings []string
	for _, about := range []struct{ key, value string }{{"SourceARN", r.Source}, {"ExternalID", r.ExternalID}, {"RoleSessionName", r.Session}} {
		if about.value != "" && r.Arn == "" {
			warnings = append(warnings, "cloud.conf: ["+SectionGlobal+"] "+about.key+" has no effect: it is about RoleARN, which is not set")
		}
	}
	return warnings
}

// Parse reads cloud.conf. The error holds everything that is wrong with it; the warnings
// say what has no effect. It is pure.
func Parse(content []byte) (File, []string, error) {
	f := File{Overrides: Overrides{}}
	warnings, err := f.file().Parse(content)
	err = errors.Join(append([]error{err}, f.complete()...)...)
	return f, append(warnings, f.Role.unused()...), err
}

// complete fills what depends on several values, and reports those that do not go together.
func (f *File) complete() []error {
	problems := f.Overrides.check()
	if f.clusterTag != "" && f.clusterID != "" && f.clusterTag != f.clusterID {
		problems = append(problems, &cloud.Invalid{
			Field: "[" + SectionGlobal + "] KubernetesClusterTag", Value: f.clusterTag, Want: "want the value of KubernetesClusterID, or only one of both",
		})
	}
	f.Region = cmp.Or(f.zoneRegion, f.Region)
	c := &f.Config
	c.Cluster.ID, c.Cluster.Legacy = cmp.Or(f.clusterTag, f.clusterID), f.clusterTag != ""
	if len(c.Families) == 0 {
		c.Families = []string{familyIPv4}
	}
	slices.Sort(c.RouteTables)
	c.RouteTables = slices.Compact(c.RouteTables)
	c.Balancer.ManagedGroups = f.groupMode == groupsManaged
	if f.probeMode == probeShared {
		c.Balancer.Probe = &f.probe
	}
	return problems
}

// OutsideVPC says that the process may run outside the cluster's VPC, or outside AWS: the file
// has all that is otherwise taken from the machine.
func (f *File) OutsideVPC() bool {
	return f.Config.Cluster.VPC != "" && f.Config.Cluster.ID != "" && (f.Config.FallbackSubnet != "" || f.Role.Arn != "")
}
