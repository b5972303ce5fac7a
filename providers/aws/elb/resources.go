package elb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The kinds of resources that only classic balancers have.
const (
	kindBalancer   = "classic load balancer"
	kindTags       = "tags of a classic load balancer"
	kindSubnet     = "subnet of a classic load balancer"
	kindGroups     = "security groups of a classic load balancer"
	kindListener   = "listener of a classic load balancer"
	kindPolicy     = "policy of a classic load balancer"
	kindTLS        = "policies of a listener"
	kindProxy      = "policies of a node port"
	kindHealth     = "health check of a classic load balancer"
	kindAttributes = "attributes of a classic load balancer"
	kindTarget     = "instance of a classic load balancer"
)

// Fields of resources, by their names in the API. Each part names its balancer.
var (
	fieldBalancer       = cloud.NewField[cloud.Reference]("LoadBalancerName")
	fieldGroups         = cloud.NewField[[]cloud.Reference]("SecurityGroups")
	fieldSubnet         = cloud.NewField[string]("SubnetId")
	fieldProtocol       = cloud.NewField[cloud.Protocol]("Protocol")
	fieldTargetProtocol = cloud.NewField[cloud.Protocol]("InstanceProtocol")
	fieldTargetPort     = cloud.NewField[int]("InstancePort")
	fieldCertificate    = cloud.NewField[string]("SSLCertificateId")
	fieldPolicies       = cloud.NewField[[]cloud.Reference]("PolicyNames")
	fieldListener       = cloud.NewField[string]("Listener")          // of a node port
	fieldTags           = cloud.NewField[map[string]string]("Tags")   // with which it is made
	fieldCheck          = cloud.NewField[cloud.Health]("HealthCheck") // as a whole, which one request writes
)

// A balancer has its scope, and a listener what it is by the portable view.
var (
	nativeScope    cloud.NativeOf[cloud.Scope]
	nativeListener cloud.NativeOf[cloud.Listener]
)

// parts collects the resources of one change.
type parts struct {
	*Balancers
	cloud.Resources
	s      *Snapshot
	change cloud.Change
	// has is the balancer as it is, an empty one where there is none yet. Lb stands for it.
	has *Balancer
	lb  cloud.IDOf
	// Its own security group has the name, and the id as in own.
	ownName secgroup.Name
	own     *ec2types.SecurityGroup
	ownID   string
	// nodeGroups are the security groups of the nodes behind it. Doubt says that a target is none of the candidates.
	nodeGroups []string
	doubt      bool
	// standard are the attributes of a new balancer.
	standard cloud.Fields
}

// Resources returns the resources before and after a change. What the portable view of a balancer
// shows is the same for both.
func (e *Balancers) Resources(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Resources, error) {
	p := &parts{Balancers: e, s: s, change: change, has: s.Balancer, lb: cloud.IDOf{Kind: kindBalancer, Key: s.Name}}
	if p.has == nil {
		p.has = &Balancer{}
	}
	p.own, p.ownID = e.own(s, change.Input.Spec)
	p.ownName = s.GroupName(change.Input.Owner)
	behind, doubt := balancer.Behind(change.Input.Candidates, *change.After)
	p.nodeGroups, p.doubt = e.Security.NodeGroups(s.Inventory, behind), doubt
	p.standard = attributeFields(desired.Attributes(cloud.Spec{}))
	var first []cloud.IDOf
	var err error
	if s.Balancer != nil && !e.IsAsked(change.Input.Spec, *change.After) {
		err = p.keepGroups()
	} else {
		first, err = p.addGroups(ctx)
	}
	if err != nil {
		return cloud.Resources{}, err
	}
	p.addShown(first)
	if s.Balancer != nil {
		e.Cluster.Add(&p.Resources, cloud.Resource{Kind: kindTags, Key: p.lb.Key, Native: tag.NativeIDs.Seal([]string{p.lb.Key})}, p.has.Tags, change)
	}
	p.addPolicies()
	return p.Resources, nil
}

// GroupName is the name of the balancer's own security group.
func (s *Snapshot) GroupName(us cloud.Owner) secgroup.Name {
	name := secgroup.ClassicName(s.Name, us)
	name.Present = s.Balancer != nil
	return name
}

// own returns the security group that has the name of the balancer with its id, nil and secgroup.OwnGroup when there is none
// with the cluster's tag.
func (e *Balancers) own(s *Snapshot, spec cloud.Spec) (*ec2types.SecurityGroup, string) {
	if group, exists := s.GroupName(spec.Owner).In(s.Inventory); exists {
		return &group, aws.ToString(group.GroupId)
	}
	return nil, secgroup.OwnGroup
}
