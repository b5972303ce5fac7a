package aws

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Policies of classic balancers, with upstream's names.
const (
	// proxyPolicy is set for node ports where connections begin with a PROXY protocol header.
	proxyPolicy = "k8s-proxyprotocol-enabled"
	// tlsPolicyPrefix and the name of a predefined policy are the name of a policy like that one.
	tlsPolicyPrefix = "k8s-SSLNegotiationPolicy-"
)

// Types of policies and their attributes (DescribeLoadBalancerPolicyTypes).
const (
	policyTypeProxy = "ProxyProtocolPolicyType"
	policyTypeTLS   = "SSLNegotiationPolicyType"
	attributeOn     = "ProxyProtocol"
	attributeLike   = "Reference-Security-Policy"
)

func wantedPolicy(spec cloud.Spec) string {
	return cmp.Or(option.TLSPolicy.In(spec.Options), defaultTLSPolicy)
}

// viewPolicy says which predefined policy a listener with these policies has:
//
//	it has                       annotation  it is taken for
//	one like a predefined one    –           that one
//	a predefined one             yes         that one
//	a predefined one             no          the default one: AWS gave it, years ago perhaps
//	none that is about TLS       –           the default one
//	somebody's own               –           that one
func (b *classicBalancer) viewPolicy(names []string, spec cloud.Spec) string {
	for _, name := range names {
		like, ours := strings.CutPrefix(name, tlsPolicyPrefix)
		switch predefined := strings.HasPrefix(name, predefinedPolicy); {
		case ours:
			return like
		case predefined && option.TLSPolicy.In(spec.Options) == "":
			return defaultTLSPolicy
		case predefined || b.hasPolicy(name):
			return name
		}
	}
	return defaultTLSPolicy
}

// hasPolicy reports whether the balancer has a policy of that name which is not about stickiness.
func (b *classicBalancer) hasPolicy(name string) bool {
	return b.Policies != nil && slices.Contains(b.Policies.OtherPolicies, name)
}

// backendPolicies are those of a node port.
func (b *classicBalancer) backendPolicies(nodePort int) []string {
	for _, backend := range b.BackendServerDescriptions {
		if int(awssdk.ToInt32(backend.InstancePort)) == nodePort {
			return backend.PolicyNames
		}
	}
	return nil
}

// staleProxies are node ports without a listener that have the proxy policy: it stays when the
// listener goes, and would be there again with the next one at that port.
func (b *classicBalancer) staleProxies() []int {
	used := map[int]bool{}
	for _, description := range b.ListenerDescriptions {
		if description.Listener != nil {
			used[int(awssdk.ToInt32(description.Listener.InstancePort))] = true
		}
	}
	var stale []int
	for _, backend := range b.BackendServerDescriptions {
		if port := int(awssdk.ToInt32(backend.InstancePort)); !used[port] && slices.Contains(backend.PolicyNames, proxyPolicy) {
			stale = append(stale, port)
		}
	}
	slices.Sort(stale)
	return stale
}

// setPolicies gives listeners their TLS policies and node ports the proxy policy.
func (c *classicChange) setPolicies(ctx context.Context) error {
	for _, want := range c.want.Listeners {
		if err := c.setListenerPolicies(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

func (c *classicChange) setListenerPolicies(ctx context.Context, want cloud.Listener) error {
	have := c.listener(want)
	if policy := want.ProviderFields[fieldTLSPolicy]; policy != "" && policy != have.ProviderFields[fieldTLSPolicy] {
		if err := c.setTLSPolicy(ctx, want.Port, policy); err != nil {
			return err
		}
	}
	if on := want.ProviderFields[fieldProxy]; on != have.ProviderFields[fieldProxy] {
		return c.setProxy(ctx, want.TargetPort, on == "true")
	}
	return nil
}

// clearProxies takes the proxy policy from node ports that have no listener, or will have none: it
// would still be there afterwards. Nothing answers at these ports any more.
func (c *classicChange) clearProxies(ctx context.Context) error {
	stale := c.lb().staleProxies()
	for _, backend := range c.lb().BackendServerDescriptions {
		port := int(awssdk.ToInt32(backend.InstancePort))
		kept := slices.Contains(stale, port) && !c.differs(fieldStaleProxies)
		if kept || usesNodePort(c.want, port) || !slices.Contains(backend.PolicyNames, proxyPolicy) {
			continue
		}
		if err := c.setProxy(ctx, port, false); err != nil {
			return err
		}
	}
	return nil
}

func usesNodePort(b cloud.Balancer, port int) bool {
	return slices.ContainsFunc(b.Listeners, func(l cloud.Listener) bool { return l.TargetPort == port })
}

// setTLSPolicy gives a listener the predefined policy, in the form AWS has given it to listeners
// of the balancer itself where it has. Policies about stickiness stay.
func (c *classicChange) setTLSPolicy(ctx context.Context, port int, predefined string) error {
	name := predefined
	if !c.lb().hasPolicy(predefined) {
		name = tlsPolicyPrefix + predefined
		if err := c.makePolicy(ctx, name, policyTypeTLS, attributeLike, predefined); err != nil {
			return err
		}
	}
	names := []string{name}
	for _, description := range c.lb().ListenerDescriptions {
		if description.Listener != nil && int(description.Listener.LoadBalancerPort) == port && !c.made[port] {
			names = append(names, slices.DeleteFunc(slices.Clone(description.PolicyNames), func(name string) bool {
				return c.lb().hasPolicy(name) || strings.HasPrefix(name, tlsPolicyPrefix) || strings.HasPrefix(name, predefinedPolicy)
			})...)
		}
	}
	_, err := c.Classic.SetLoadBalancerPoliciesOfListener(ctx, &elb.SetLoadBalancerPoliciesOfListenerInput{
		LoadBalancerName: c.lb().LoadBalancerName, LoadBalancerPort: int32(port), PolicyNames: names, //nolint:gosec // a port
	})
	if err != nil {
		return fmt.Errorf("setting policy %s for port %d of classic balancer %s: %w", name, port, c.lb().name(), err)
	}
	return nil
}

// setProxy adds the proxy policy to those of a node port, or takes it from them.
func (c *classicChange) setProxy(ctx context.Context, nodePort int, on bool) error {
	names := slices.DeleteFunc(slices.Clone(c.lb().backendPolicies(nodePort)), func(name string) bool { return name == proxyPolicy })
	if on {
		if err := c.makePolicy(ctx, proxyPolicy, policyTypeProxy, attributeOn, "true"); err != nil {
			return err
		}
		names = append(names, proxyPolicy)
	}
	if names == nil {
		names = []string{} // AWS wants a list, an empty one too
	}
	_, err := c.Classic.SetLoadBalancerPoliciesForBackendServer(ctx, &elb.SetLoadBalancerPoliciesForBackendServerInput{
		LoadBalancerName: c.lb().LoadBalancerName, InstancePort: new(int32(nodePort)), PolicyNames: names, //nolint:gosec // a port
	})
	if err != nil {
		return fmt.Errorf("setting the policies for node port %d of classic balancer %s: %w", nodePort, c.lb().name(), err)
	}
	return nil
}

// makePolicy makes a policy unless the balancer has it. A policy is never changed, so that its
// name says what it is.
func (c *classicChange) makePolicy(ctx context.Context, name, kind, attribute, value string) error {
	if c.lb().hasPolicy(name) || c.policies[name] {
		return nil
	}
	_, err := c.Classic.CreateLoadBalancerPolicy(ctx, &elb.CreateLoadBalancerPolicyInput{
		LoadBalancerName: c.lb().LoadBalancerName, PolicyName: &name, PolicyTypeName: &kind,
		PolicyAttributes: []elbtypes.PolicyAttribute{{AttributeName: &attribute, AttributeValue: &value}},
	})
	if err != nil {
		return fmt.Errorf("creating policy %s of classic balancer %s: %w", name, c.lb().name(), err)
	}
	c.policies[name] = true
	return nil
}

func portList(ports []int) string {
	texts := make([]string, len(ports))
	for i, port := range ports {
		texts[i] = strconv.Itoa(port)
	}
	return strings.Join(texts, ",")
}
