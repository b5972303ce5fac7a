package aws

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// config is what cloud.conf and the settings say, checked and with defaults filled in.
type config struct {
	region string
	// vpc is where balancers and routes are; "" until it is learnt from the machine this runs on.
	vpc string
	// fallbackSubnet is where balancers go when discovery finds no subnet, "" for nowhere.
	fallbackSubnet string
	// routeTables are the ids of the tables that pod routes go into; none means those with the
	// cluster's tag.
	routeTables []string
	// clusterID is the id in the tags; legacyTag says that KubernetesCluster=<id> is one too.
	clusterID string
	legacyTag bool
	// families are the address families of Nodes, "ipv4" and "ipv6", in their order.
	families []string
	// topologyPattern matches the instance types whose topology labels are mandatory.
	topologyPattern *regexp.Regexp

	balancer balancerConfig
}

// balancerConfig is what balancers have in common.
type balancerConfig struct {
	// leaveNodeGroups says that the security groups of nodes are not ours to change.
	leaveNodeGroups bool
	// group is the security group of every classic balancer, instead of one of its own; "" for none.
	group string
	// managedGroups says that new network balancers get a security group of their own
	// (NLBSecurityGroupMode=Managed).
	managedGroups bool
	// probe is the health check of Services without externalTrafficPolicy Local in
	// ClusterServiceLoadBalancerHealthProbeMode=Shared, nil in the default mode.
	probe *sharedProbe
}

// sharedProbe asks kube-proxy, or who stands in for it, over HTTP.
type sharedProbe struct {
	port int
	path string
}

// fileConfig is the content of cloud.conf: what the driver's parts need, and what is needed only
// to reach the cloud.
type fileConfig struct {
	config     config
	region     string
	zoneRegion string // of Zone, before region
	role       role
	overrides  overrides

	clusterID, clusterTag string
	probeMode             string
	probe                 sharedProbe
	groupMode             string
}

// role is one to take on, none when its arn is "".
type role struct {
	arn        string
	source     string // SourceARN
	externalID string
	session    string
	duration   time.Duration
}

// account returns the account that the role belongs to.
func (r role) account() string {
	a, err := arn.Parse(r.arn)
	if err != nil {
		return ""
	}
	return a.AccountID
}

// unused says what is set about a role where there is none.
func (r role) unused() []string {
	var warnings []string
	for _, about := range []struct{ key, value string }{{"SourceARN", r.source}, {"ExternalID", r.externalID}, {"RoleSessionName", r.session}} {
		if about.value != "" && r.arn == "" {
			warnings = append(warnings, "cloud.conf: ["+sectionGlobal+"] "+about.key+" has no effect: it is about RoleARN, which is not set")
		}
	}
	return warnings
}

// parseConfig reads cloud.conf. The error holds everything that is wrong with it; the warnings
// say what has no effect. It is pure.
func parseConfig(content []byte) (fileConfig, []string, error) {
	f := fileConfig{overrides: overrides{}}
	warnings, err := f.file().Parse(content)
	err = errors.Join(append([]error{err}, f.complete()...)...)
	return f, append(warnings, f.role.unused()...), err
}

// complete fills what depends on several values, and reports those that do not go together.
func (f *fileConfig) complete() []error {
	problems := f.overrides.check()
	if f.clusterTag != "" && f.clusterID != "" && f.clusterTag != f.clusterID {
		problems = append(problems, &cloud.Invalid{
			Field: "[" + sectionGlobal + "] KubernetesClusterTag", Value: f.clusterTag, Want: "want the value of KubernetesClusterID, or only one of both",
		})
	}
	f.region = cmp.Or(f.zoneRegion, f.region)
	c := &f.config
	c.clusterID, c.legacyTag = cmp.Or(f.clusterTag, f.clusterID), f.clusterTag != ""
	if len(c.families) == 0 {
		c.families = []string{familyIPv4}
	}
	slices.Sort(c.routeTables)
	c.routeTables = slices.Compact(c.routeTables)
	c.balancer.managedGroups = f.groupMode == groupsManaged
	if f.probeMode == probeShared {
		c.balancer.probe = &f.probe
	}
	return problems
}

// elsewhere says that the process may run outside the cluster's VPC, or outside AWS: the file
// has all that is otherwise taken from the machine.
func (f *fileConfig) elsewhere() bool {
	return f.config.vpc != "" && f.config.clusterID != "" && (f.config.fallbackSubnet != "" || f.role.arn != "")
}
