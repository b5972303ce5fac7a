package aws

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

var _ conformance.Witness = (*Control)(nil)

// carriedOut says what each write of the APIs carries out, by the call as in proxy.Call.String.
func carriedOut() map[string][]cloud.Operation {
	all := map[string][]cloud.Operation{}
	add := func(call string, kind cloud.Kind, verbs ...cloud.Verb) {
		for _, verb := range verbs {
			all[call] = append(all[call], cloud.Operation{Verb: verb, Kind: kind})
		}
	}
	create, change, remove := cloud.Create, cloud.Update, cloud.Delete
	add("ec2 CreateSecurityGroup", "security group", create)
	add("ec2 DeleteSecurityGroup", "security group", remove)
	add("ec2 CreateTags", "security group tags", change)
	add("ec2 AuthorizeSecurityGroupIngress", "security group rule", create)
	add("ec2 RevokeSecurityGroupIngress", "security group rule", remove)
	add("ec2 UpdateSecurityGroupRuleDescriptionsIngress", "security group rule", change)

	add("elb CreateLoadBalancer", "classic load balancer", create)
	add("elb DeleteLoadBalancer", "classic load balancer", remove)
	add("elb AddTags", "tags of a classic load balancer", change)
	add("elb RemoveTags", "tags of a classic load balancer", change)
	add("elb ApplySecurityGroupsToLoadBalancer", "security groups of a classic load balancer", change)
	add("elb CreateLoadBalancerListeners", "listener of a classic load balancer", create)
	add("elb SetLoadBalancerListenerSSLCertificate", "listener of a classic load balancer", change)
	add("elb DeleteLoadBalancerListeners", "listener of a classic load balancer", remove)
	add("elb CreateLoadBalancerPolicy", "policy of a classic load balancer", create)
	add("elb SetLoadBalancerPoliciesOfListener", "policies of a listener", create, change, remove)
	add("elb SetLoadBalancerPoliciesForBackendServer", "policies of a node port", create, change, remove)
	add("elb ConfigureHealthCheck", "health check of a classic load balancer", create, change)
	add("elb ModifyLoadBalancerAttributes", "attributes of a classic load balancer", create, change)
	add("elb RegisterInstancesWithLoadBalancer", "instance of a classic load balancer", create)
	add("elb DeregisterInstancesFromLoadBalancer", "instance of a classic load balancer", remove)
	add("elb AttachLoadBalancerToSubnets", "subnet of a classic load balancer", create)
	add("elb DetachLoadBalancerFromSubnets", "subnet of a classic load balancer", remove)

	add("elbv2 CreateLoadBalancer", "network load balancer", create)
	add("elbv2 DeleteLoadBalancer", "network load balancer", remove)
	add("elbv2 SetSecurityGroups", "network load balancer", change)
	add("elbv2 SetSubnets", "network load balancer", change)
	add("elbv2 SetIpAddressType", "network load balancer", change)
	add("elbv2 AddTags", "tags of a network load balancer", change)
	add("elbv2 RemoveTags", "tags of a network load balancer", change)
	add("elbv2 AddTags", "tag of a network load balancer with idle timeouts", create)
	add("elbv2 RemoveTags", "tag of a network load balancer with idle timeouts", remove)
	add("elbv2 ModifyLoadBalancerAttributes", "attributes of a network load balancer", create, change)
	add("elbv2 CreateTargetGroup", "target group", create)
	add("elbv2 ModifyTargetGroup", "target group", change)
	add("elbv2 DeleteTargetGroup", "target group", remove)
	add("elbv2 ModifyTargetGroupAttributes", "attributes of a target group", create, change)
	add("elbv2 RegisterTargets", "target", create)
	add("elbv2 DeregisterTargets", "target", remove)
	add("elbv2 CreateListener", "listener of a network load balancer", create)
	add("elbv2 ModifyListener", "listener of a network load balancer", change)
	add("elbv2 DeleteListener", "listener of a network load balancer", remove)
	add("elbv2 ModifyListenerAttributes", "idle timeout of a listener", create, change)
	add("elbv2 AddListenerCertificates", "certificate of a network load balancer", create)
	add("elbv2 RemoveListenerCertificates", "certificate of a network load balancer", remove)
	return all
}

// Writes reads the proxy's log.
func (c *Control) Writes() (writes []conformance.Write) {
	for _, call := range c.proxy.Calls() {
		if !call.Writes() || call.Status >= http.StatusBadRequest {
			continue
		}
		for _, key := range c.keys(call) {
			writes = append(writes, conformance.Write{Route: call.String(), Key: key, Request: call.String() + " " + call.Parameters.Encode()})
		}
	}
	return writes
}

// lists are the parameters of calls that carry out an operation for each item.
var lists = map[string]string{
	"elb CreateLoadBalancerListeners": "Listeners.member.%d.LoadBalancerPort", "elb DeleteLoadBalancerListeners": "LoadBalancerPorts.member.%d",
	"elb RegisterInstancesWithLoadBalancer": "Instances.member.%d.InstanceId", "elb DeregisterInstancesFromLoadBalancer": "Instances.member.%d.InstanceId",
	"elb AttachLoadBalancerToSubnets": "Subnets.member.%d", "elb DetachLoadBalancerFromSubnets": "Subnets.member.%d",
	"elbv2 RegisterTargets": "Targets.member.%d.Id", "elbv2 DeregisterTargets": "Targets.member.%d.Id",
	"ec2 AuthorizeSecurityGroupIngress": "IpPermissions.%d.IpProtocol", "ec2 RevokeSecurityGroupIngress": "IpPermissions.%d.IpProtocol",
}

// parameters are those that are the keys of operations, where it is one.
var parameters = map[string]string{
	"ec2 CreateSecurityGroup": "GroupName", "elbv2 CreateLoadBalancer": "Name", "elbv2 CreateTargetGroup": "Name", "elbv2 CreateListener": "Port",
	"elb SetLoadBalancerListenerSSLCertificate": "LoadBalancerPort", "elb SetLoadBalancerPoliciesOfListener": "LoadBalancerPort",
	"elb CreateLoadBalancerPolicy": "PolicyName", "elb SetLoadBalancerPoliciesForBackendServer": "InstancePort",
}

// keys are those of the operations that a call carries out.
func (c *Control) keys(call proxy.Call) (all []string) {
	p := call.Parameters
	parameter, several := lists[call.String()]
	if !several {
		return []string{key(call)}
	}
	for n := 1; p.Has(fmt.Sprintf(parameter, n)); n++ {
		item := p.Get(fmt.Sprintf(parameter, n))
		switch {
		case strings.HasSuffix(call.Action, "Subnets"): // their keys are zones
			item = ""
		case strings.HasSuffix(call.Action, "Targets"):
			item += " in " + inARN(p.Get("TargetGroupArn"))
		case call.Service == proxy.Compute:
			item = c.ruleKey(p, n)
		}
		all = append(all, item)
	}
	if len(all) == 0 {
		return []string{""} // a request for nothing is one too
	}
	return all
}

// key is that of the only operation of a call, "" where ids do not say it.
func key(call proxy.Call) string {
	p := call.Parameters
	switch name, by := parameters[call.String()]; {
	case by:
		return p.Get(name)
	case p.Has("LoadBalancerName"):
		return p.Get("LoadBalancerName")
	case p.Has("TargetGroupArn"):
		return inARN(p.Get("TargetGroupArn"))
	case p.Has("LoadBalancerArn"):
		return inARN(p.Get("LoadBalancerArn"))
	}
	return ""
}

// ruleKey is the key of a rule of a security group: a balancer's own group is in it by its name, which is asked for while the group
// is there. It is "" for rules about groups, which may be written before the group has an id.
func (c *Control) ruleKey(p url.Values, n int) string {
	prefix := fmt.Sprintf("IpPermissions.%d.", n)
	network := p.Get(prefix+"IpRanges.1.CidrIp") + p.Get(prefix+"Ipv6Ranges.1.CidrIpv6")
	ports := cloud.PortRange{Protocol: packetfilter.Protocol(p.Get(prefix + "IpProtocol"))}
	var wrong [2]error
	ports.From, wrong[0] = strconv.Atoi(p.Get(prefix + "FromPort"))
	ports.To, wrong[1] = strconv.Atoi(p.Get(prefix + "ToPort"))
	id := p.Get("GroupId")
	if c.groupNames[id] == "" {
		for _, g := range c.securityGroups() {
			c.groupNames[*g.GroupId] = *g.GroupName
		}
	}
	name, known := c.groupNames[id]
	if network == "" || errors.Join(wrong[:]...) != nil || !known {
		return ""
	}
	if !strings.HasPrefix(name, "k8s-") {
		name = id
	}
	return packetfilter.Rule{PortRange: ports, Peer: packetfilter.Network(network)}.String() + " in " + name
}

// inARN is the name in the ARN of a target group or a network load balancer: it is before the last part.
func inARN(arn string) string {
	parts := strings.Split(arn, "/")
	return parts[max(0, len(parts)-2)]
}
