package aws

import (
	"context"
	"slices"
	"strconv"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

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
	case protocolBoth:
		return []string{"tcp", "udp"}
	}
	return []string{"tcp"}
}

// guardRules are the rules of a network balancer's own security group.
func guardRules(b cloud.Balancer) secgroup.Rules {
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

// networkNeeds are the rules of the nodes' security groups for a network balancer of that name and
// shape. Ranges are the networks of its subnets.
//
//	packets               come from              rule
//	of clients, kept      the clients (Allow)    ruleClient, and ruleMTU for each of these
//	of clients, replaced  the balancer's subnets ruleHealth
//	of health checks      the balancer's subnets ruleHealth, unless everyone may connect there
func networkNeeds(name string, b cloud.Balancer, ranges, groups []string) secgroup.Needs {
	n := secgroup.Needs{Groups: groups, Rules: secgroup.Rules{}, Optional: secgroup.Rules{}}
	client, health := ruleClient+name, ruleHealth+name
	for _, l := range b.Listeners {
		port := l.TargetPort
		for _, transport := range transports(l.TargetProtocol) {
			if l.ProviderFields[fieldPreserve] != "true" {
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
		if _, open := n.Rules[secgroup.Port("tcp", port, everyone)]; open {
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
func (d *Driver) needsOf(s *snapshot, name string, b cloud.Balancer, machines []cloud.Target, subnets []string) secgroup.Needs {
	v4, v6 := s.area.Ranges(subnets)
	if b.DualStack {
		v4 = append(v4, v6...)
	}
	return networkNeeds(name, b, v4, d.groups.NodeGroups(s.area, machines))
}

// newOwners says which other network balancer of the VPC needs a rule: it is in a subnet of that
// network and checks that port. That happens where all check kube-proxy's port. Balancers are
// read when the first rule is asked for.
func (d *Driver) newOwners(ctx context.Context, s *snapshot, name string) secgroup.NewOwner {
	var others []networkBalancer
	var groups []targetGroup
	read := false
	return func(_ string, r secgroup.Rule) (bool, string, error) {
		if !read {
			var err error
			if others, err = d.listNetwork(ctx); err != nil {
				return false, "", err
			}
			if groups, err = d.listTargetGroups(ctx); err != nil {
				return false, "", err
			}
			read = true
		}
		for _, other := range others {
			v4, v6 := s.area.Ranges(other.subnets())
			if awssdk.ToString(other.LoadBalancerName) != name && slices.Contains(append(v4, v6...), r.Source) && checks(groups, awssdk.ToString(other.LoadBalancerArn), r) {
				return true, ruleHealth + awssdk.ToString(other.LoadBalancerName), nil
			}
		}
		return false, "", nil
	}
}

// checks reports whether a target group of the balancer has its health check on the rule's port.
func checks(groups []targetGroup, balancer string, r secgroup.Rule) bool {
	return r.Protocol == "tcp" && slices.ContainsFunc(groups, func(g targetGroup) bool {
		port := awssdk.ToString(g.HealthCheckPort)
		if port == option.TrafficPort {
			port = strconv.Itoa(int(awssdk.ToInt32(g.Port)))
		}
		return slices.Contains(g.LoadBalancerArns, balancer) && port == strconv.Itoa(int(r.From))
	})
}
