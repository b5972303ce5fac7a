package nlb

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// addGroups adds the balancer's own security group, and the rules of the nodes' groups.
func (p *parts) addGroups(ctx context.Context) error {
	spec, after := p.change.Spec, *p.change.After
	var own *cloud.Resource
	if slices.Contains(balancer.List(after.ProviderFields[balancer.FieldGroups]), balancer.OwnGroup) {
		kept, err := p.Security.KeepOwn(ctx, &p.Resources, p.s.Inventory, p.Security.NetworkName(spec.Ref.Owner), spec, ownGroupRules(after))
		if err != nil {
			return err
		}
		own = &kept
	} else if group, exists := p.ownGroup(p.s.Inventory, spec); exists {
		p.Security.DropOwn(&p.Resources, p.s.Inventory, group)
	}
	needs := p.needsOf(p.s, after.Name, after, balancer.TargetsOf(spec.Candidates, after.Targets))
	needs.NewOwner = p.newOwners(ctx, p.s, after.Name)
	return p.Security.NodeRules(&p.Resources, p.s.Inventory, needs, own, spec.Deleting || balancer.Doubtful(spec.Candidates, after))
}

// attachedGroup returns the security group that was made for the network balancer, if it has it.
func (n *Balancers) attachedGroup(s *Snapshot, spec cloud.Spec) (ec2types.SecurityGroup, bool) {
	own, exists := n.ownGroup(s.Inventory, spec)
	return own, exists && slices.Contains(s.Balancer.SecurityGroups, aws.ToString(own.GroupId))
}

// ownGroup returns the security group that was made for the Service's network balancer, if there is
// one with the cluster's tag.
func (n *Balancers) ownGroup(inv *vpc.Inventory, spec cloud.Spec) (ec2types.SecurityGroup, bool) {
	own, exists := n.Security.NetworkName(spec.Ref.Owner).In(inv)
	return own, exists && n.Security.IsOurs(own, spec.Ref.Owner)
}

// Descriptions of the rules for network balancers on the security groups of nodes, as upstream
// writes them; the first two end with the balancer's name.
const (
	ruleClient = "kubernetes.io/rule/nlb/client="
	ruleHealth = "kubernetes.io/rule/nlb/health="
	ruleMTU    = "kubernetes.io/rule/nlb/mtu"
)

// transports are the protocols of packets a listener or target takes.
func transports(p cloud.Protocol) []string {
	switch p {
	case cloud.ProtocolUDP:
		return []string{"udp"}
	case desired.ProtocolBoth:
		return []string{"tcp", "udp"}
	}
	return []string{"tcp"}
}

// ownGroupRules are the rules of a network balancer's own security group.
func ownGroupRules(b cloud.Balancer) secgroup.Rules {
	rs := secgroup.Rules{}
	for _, source := range b.Allow {
		rs[secgroup.Fragmentation(source)] = ""
		for _, l := range b.Listeners {
			for _, transport := range transports(l.Protocol) {
				rs[secgroup.Port(transport, l.Port, source)] = ""
			}
		}
	}
	return rs
}

// nodeNeeds are the rules of the nodes' security groups for a network balancer of that name and
// shape. Ranges are the networks of its subnets.
//
//	packets               come from              rule
//	of clients, kept      the clients (Allow)    ruleClient, and ruleMTU for each of these
//	of clients, replaced  the balancer's subnets ruleHealth
//	of health checks      the balancer's subnets ruleHealth, unless everyone may connect there
func nodeNeeds(name string, b cloud.Balancer, ranges, groups []string) secgroup.Needs {
	n := secgroup.Needs{Groups: groups, Rules: secgroup.Rules{}, Optional: secgroup.Rules{}}
	client, health := ruleClient+name, ruleHealth+name
	for _, l := range b.Listeners {
		port := l.TargetPort
		for _, transport := range transports(l.TargetProtocol) {
			if l.ProviderFields[balancer.FieldPreserve] != "true" {
				n.Add(transport, port, ranges, health)
				continue
			}
			n.Add(transport, port, b.Allow, client)
			if b.DualStack { // the balancer stands in for IPv6 clients
				n.Add(transport, port, ranges, health)
			}
			for _, source := range b.Allow {
				n.Rules[secgroup.Fragmentation(source)] = ruleMTU
			}
		}
	}
	for _, l := range b.Listeners {
		port := checkedPort(l)
		if _, open := n.Rules[secgroup.Port("tcp", port, balancer.Everyone)]; open {
			for _, source := range ranges {
				n.Optional[secgroup.Port("tcp", port, source)] = health
			}
			continue
		}
		n.Add("tcp", port, ranges, health)
	}
	n.Mine = func(all secgroup.Rules, r secgroup.Rule, description string) bool {
		if description == ruleMTU {
			return all.Lets(r.Source, func(d string) bool { return d == client }) &&
				!all.Lets(r.Source, func(d string) bool { return d != client && strings.HasPrefix(d, ruleClient) })
		}
		return description == client || description == health
	}
	return n
}

// checkedPort is where the health check of a listener goes.
func checkedPort(l cloud.Listener) int {
	if l.Health == nil || l.Health.Port == 0 {
		return l.TargetPort
	}
	return l.Health.Port
}

// needsOf are the rules for the balancer on the security groups of these machines.
func (n *Balancers) needsOf(s *Snapshot, name string, b cloud.Balancer, machines []cloud.Target) secgroup.Needs {
	v4, v6 := s.Inventory.Ranges(slices.Collect(maps.Keys(balancer.Places(b.ProviderFields[balancer.FieldSubnets]))))
	if b.DualStack {
		v4 = append(v4, v6...)
	}
	return nodeNeeds(name, b, v4, n.Security.NodeGroups(s.Inventory, machines))
}

// newOwners says which other network balancer of the VPC needs a rule: it is in a subnet of that
// network and checks that port. That happens where all check kube-proxy's port. The network is read where a rule may be one
// of health checks, and the target groups are read anew: one that came since the last list may rely on the rule. Balancers
// are read when a target group of another checks the port.
func (n *Balancers) newOwners(ctx context.Context, s *Snapshot, name string) secgroup.NewOwner {
	network := sync.OnceValues(func() (*vpc.Network, error) { return s.Network(ctx) })
	groups := sync.OnceValues(func() ([]Group, error) { return n.Targets.describe(ctx) })
	balancers := sync.OnceValues(func() ([]Balancer, error) {
		list, _, err := n.describe(ctx, "")
		return list, err
	})
	return func(_ string, r secgroup.Rule) (bool, string, error) {
		if r.Protocol != "tcp" || strings.HasSuffix(r.Source, "/0") {
			return false, "", nil // no health check comes from there
		}
		around, err := network()
		if err != nil || !around.HasRange(r.Source) {
			return false, "", err
		}
		all, err := groups()
		behind := slices.DeleteFunc(checking(all, r), func(arn string) bool { return strings.Contains(arn, "/"+name+"/") })
		if err != nil || len(behind) == 0 {
			return false, "", err
		}
		others, err := balancers()
		for _, other := range others {
			v4, v6 := around.Ranges(other.Subnets())
			if slices.Contains(behind, aws.ToString(other.LoadBalancerArn)) && slices.Contains(append(v4, v6...), r.Source) {
				return true, ruleHealth + aws.ToString(other.LoadBalancerName), nil
			}
		}
		return false, "", err
	}
}

// Shares reports whether the balancer is let in by a rule that was made for another one. The deletion of that one, which
// may go on at the same time, leaves the rule to this one.
func (n *Balancers) Shares(s *Snapshot) bool {
	for _, group := range s.Inventory.Groups {
		for r, description := range secgroup.Ingress(group) {
			if strings.HasPrefix(description, ruleHealth) && description != ruleHealth+s.Name && len(checking(s.Balancer.groups, r)) > 0 {
				return true
			}
		}
	}
	return false
}

// checking are the ARNs of the balancers of which a target group has its health check on the rule's port.
func checking(groups []Group, r secgroup.Rule) (balancers []string) {
	for _, g := range groups {
		port := aws.ToString(g.HealthCheckPort)
		if port == option.TrafficPort {
			port = strconv.Itoa(int(aws.ToInt32(g.Port)))
		}
		if r.Protocol == "tcp" && port == strconv.Itoa(int(r.From)) {
			balancers = append(balancers, g.LoadBalancerArns...)
		}
	}
	return balancers
}

// RemovedRules are the rules on the nodes' security groups of a network balancer that goes or is
// gone: none is needed any more.
func (n *Balancers) RemovedRules(ctx context.Context, s *Snapshot) secgroup.Needs {
	needs := nodeNeeds(s.Name, cloud.Balancer{}, nil, nil)
	needs.NewOwner = n.newOwners(ctx, s, s.Name)
	return needs
}
