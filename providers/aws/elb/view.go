package elb

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Observe is what a classic balancer says to the kernel. AWS takes changes of it at any
// time, so that it is never pending.
func (e *Balancers) Observe(ctx context.Context, s *Snapshot, spec cloud.Spec) (cloud.Observed, error) {
	lb := s.Balancer
	if !spec.Deleting {
		if err := e.complete(ctx, lb); err != nil {
			return cloud.Observed{}, err
		}
	}
	o := cloud.Observed{
		Found: true, ID: s.Name, Owner: e.Cluster.Owner(s.Name, lb.Tags, spec.Ref.Owner), State: cloud.BalancerActive,
		Addresses: balancer.At(lb.DNSName), Balancer: e.view(s, spec),
	}
	return o, nil
}

// view is a classic balancer as Normalize would ask for it.
func (e *Balancers) view(s *Snapshot, spec cloud.Spec) cloud.Balancer {
	lb := s.Balancer
	b := cloud.Balancer{
		Name:      s.Name,
		Scope:     lb.Scope(),
		Listeners: lb.viewListeners(spec),
		Health:    viewHealth(lb.HealthCheck),
		Allow:     e.viewAllow(s, spec),
		Targets:   lb.targets(),
		ProviderFields: map[string]string{
			balancer.FieldType:    balancer.KindClassic,
			balancer.FieldSubnets: balancer.Joined(lb.Subnets),
			balancer.FieldGroups:  balancer.GroupsText(lb.SecurityGroups, e.ownID(s, spec)),
			balancer.FieldTags:    tag.Observed(lb.Tags, spec),
		},
		OwnershipTags: e.Cluster.ObservedMarks(lb.Tags),
	}
	maps.Copy(b.ProviderFields, viewAttributes(lb.attributes))
	return b
}

// schemeInternal is the scheme of balancers with private addresses only.
const schemeInternal = "internal"

// Scope says who can reach the balancer.
func (b *Balancer) Scope() cloud.Scope {
	return cloud.ScopeOf(aws.ToString(b.Scheme) == schemeInternal)
}

// targets are the ids of the instances behind the balancer, sorted.
func (b *Balancer) targets() []cloud.InstanceID {
	ids := []cloud.InstanceID{}
	for _, instance := range b.Instances {
		ids = append(ids, cloud.InstanceID(aws.ToString(instance.InstanceId)))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (e *Balancers) viewAllow(s *Snapshot, spec cloud.Spec) []string {
	own := e.own(s, spec)
	if own == nil || !e.HasOwnGroup(spec) {
		return nil
	}
	return secgroup.Ingress(*own).Sources()
}

// viewListeners are the listeners the balancer has.
func (b *Balancer) viewListeners(spec cloud.Spec) []cloud.Listener {
	var list []cloud.Listener
	for _, description := range b.ListenerDescriptions {
		have := description.Listener
		if have == nil {
			continue
		}
		l := cloud.Listener{
			Protocol: cloud.ProtocolOf(aws.ToString(have.Protocol)), Port: int(have.LoadBalancerPort),
			TargetProtocol: cloud.ProtocolOf(aws.ToString(have.InstanceProtocol)), TargetPort: int(aws.ToInt32(have.InstancePort)),
		}
		l.ProviderFields = map[string]string{balancer.FieldProxy: strconv.FormatBool(slices.Contains(b.proxied(), strconv.Itoa(l.TargetPort)))}
		if l.Protocol == desired.ProtocolSSL || l.Protocol == cloud.ProtocolHTTPS {
			l.ProviderFields[balancer.FieldCertificates] = aws.ToString(have.SSLCertificateId)
			l.ProviderFields[balancer.FieldTLSPolicy] = b.viewPolicy(description.PolicyNames, spec)
		}
		list = append(list, l)
	}
	cloud.SortListeners(list)
	return list
}

// viewPolicy says which predefined policy a listener with these policies has:
//
//	it has                       annotation  it is taken for
//	one like a predefined one    –           that one
//	a predefined one             yes         that one
//	a predefined one             no          the default one: AWS gave it, years ago perhaps
//	none that is about TLS       –           the default one
//	somebody's own               –           that one
func (b *Balancer) viewPolicy(names []string, spec cloud.Spec) string {
	for _, name := range names {
		like, ours := strings.CutPrefix(name, tlsPolicyPrefix)
		switch predefined := strings.HasPrefix(name, balancer.PredefinedPolicy); {
		case ours:
			return like
		case predefined && option.TLSPolicy.In(spec.Options) == "":
			return balancer.DefaultTLSPolicy
		case predefined || b.hasPolicy(name):
			return name
		}
	}
	return balancer.DefaultTLSPolicy
}

// otherPolicies are the balancer's policies that are not about stickiness.
func (b *Balancer) otherPolicies() []string {
	if b.Policies == nil {
		return nil
	}
	return b.Policies.OtherPolicies
}

func (b *Balancer) hasPolicy(name string) bool { return slices.Contains(b.otherPolicies(), name) }

// policyLike returns the name of the policy that is like a predefined one: the one that AWS has given
// to listeners of the balancer by itself, where it has.
func (b *Balancer) policyLike(predefined string) string {
	if b.hasPolicy(predefined) {
		return predefined
	}
	return tlsPolicyPrefix + predefined
}

// stickiness are the policies about stickiness of the listener.
func (b *Balancer) stickiness(l cloud.Listener) []string {
	for _, d := range b.ListenerDescriptions {
		if d.Listener != nil && int(d.Listener.LoadBalancerPort) == l.Port && cloud.ProtocolOf(aws.ToString(d.Listener.Protocol)) == l.Protocol {
			return slices.DeleteFunc(slices.Clone(d.PolicyNames), func(name string) bool {
				return b.hasPolicy(name) || strings.HasPrefix(name, tlsPolicyPrefix) || strings.HasPrefix(name, balancer.PredefinedPolicy)
			})
		}
	}
	return nil
}

// backendPolicies are those of a node port besides the proxy policy.
func (b *Balancer) backendPolicies(nodePort string) (names []string) {
	for _, backend := range b.BackendServerDescriptions {
		if number32(backend.InstancePort) == nodePort {
			names = append(names, backend.PolicyNames...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == proxyPolicy })
}

// proxied are the node ports with the proxy policy, sorted.
func (b *Balancer) proxied() (ports []string) {
	for _, backend := range b.BackendServerDescriptions {
		if slices.Contains(backend.PolicyNames, proxyPolicy) {
			ports = append(ports, number32(backend.InstancePort))
		}
	}
	slices.Sort(ports)
	return ports
}

// viewHealth is the check AWS makes. What can't be read is taken for its protocol, which
// no wanted one has.
func viewHealth(check *types.HealthCheck) *cloud.Health {
	if check == nil {
		return nil
	}
	h := &cloud.Health{
		Interval: time.Duration(aws.ToInt32(check.Interval)) * time.Second, Timeout: time.Duration(aws.ToInt32(check.Timeout)) * time.Second,
		Healthy: int(aws.ToInt32(check.HealthyThreshold)), Unhealthy: int(aws.ToInt32(check.UnhealthyThreshold)),
	}
	target := aws.ToString(check.Target)
	protocol, rest, _ := strings.Cut(target, ":")
	text, _, hasPath := strings.Cut(rest, "/")
	port, err := strconv.Atoi(text)
	if err != nil {
		h.Protocol = cloud.Protocol(target)
		return h
	}
	h.Protocol, h.Port = cloud.ProtocolOf(protocol), port
	if hasPath {
		h.Path = rest[len(text):]
	}
	return h
}

// viewAttributes are the attributes AWS has. Those that AWS adds itself, such as the mode of
// desync mitigation, are not managed.
func viewAttributes(a *types.LoadBalancerAttributes) map[string]string {
	if a == nil {
		return nil
	}
	fields := map[string]string{
		balancer.FieldCrossZone: strconv.FormatBool(a.CrossZoneLoadBalancing != nil && a.CrossZoneLoadBalancing.Enabled),
		balancer.FieldLog:       "false", desired.FieldDraining: "false", balancer.FieldIdleTimeout: desired.DefaultIdleTimeout,
	}
	if s := a.ConnectionSettings; s != nil && s.IdleTimeout != nil {
		fields[balancer.FieldIdleTimeout] = number32(s.IdleTimeout)
	}
	if l := a.AccessLog; l != nil && l.Enabled {
		fields[balancer.FieldLog], fields[balancer.FieldLogBucket], fields[balancer.FieldLogPrefix] = "true", aws.ToString(l.S3BucketName), aws.ToString(l.S3BucketPrefix)
		fields[balancer.FieldLogInterval] = cmp.Or(number32(l.EmitInterval), option.LogInterval.Default)
	}
	if c := a.ConnectionDraining; c != nil && c.Enabled {
		fields[desired.FieldDraining] = "true"
		fields[desired.FieldDrainingTimeout] = cmp.Or(number32(c.Timeout), option.DrainingTimeout.Default)
	}
	return fields
}

func number32(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}
