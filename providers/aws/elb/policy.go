package elb

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
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

// hasPolicy reports whether the balancer has a policy of that name which is not about stickiness.
func (b *Balancer) hasPolicy(name string) bool {
	return b.Policies != nil && slices.Contains(b.Policies.OtherPolicies, name)
}

// backendPolicies are those of a node port.
func (b *Balancer) backendPolicies(nodePort int) []string {
	for _, backend := range b.BackendServerDescriptions {
		if int(aws.ToInt32(backend.InstancePort)) == nodePort {
			return backend.PolicyNames
		}
	}
	return nil
}

// staleProxies are node ports without a listener that have the proxy policy: it stays when the
// listener goes, and would be there again with the next one at that port.
func (b *Balancer) staleProxies() []int {
	used := map[int]bool{}
	for _, description := range b.ListenerDescriptions {
		if description.Listener != nil {
			used[int(aws.ToInt32(description.Listener.InstancePort))] = true
		}
	}
	var stale []int
	for _, backend := range b.BackendServerDescriptions {
		if port := int(aws.ToInt32(backend.InstancePort)); !used[port] && slices.Contains(backend.PolicyNames, proxyPolicy) {
			stale = append(stale, port)
		}
	}
	slices.Sort(stale)
	return stale
}

// setPolicies gives listeners their TLS policies and node ports the proxy policy.
func (c *update) setPolicies(ctx context.Context) error {
	for _, want := range c.want.Listeners {
		if err := c.setListenerPolicies(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

func (c *update) setListenerPolicies(ctx context.Context, want cloud.Listener) error {
	have := c.listener(want)
	if policy := want.ProviderFields[balancer.FieldTLSPolicy]; policy != "" && policy != have.ProviderFields[balancer.FieldTLSPolicy] {
		if err := c.setTLSPolicy(ctx, want.Port, policy); err != nil {
			return err
		}
	}
	if on := want.ProviderFields[balancer.FieldProxy]; on != have.ProviderFields[balancer.FieldProxy] {
		return c.setProxy(ctx, want.TargetPort, on == "true")
	}
	return nil
}

// clearProxies takes the proxy policy from node ports that have no listener, or will have none: it
// would still be there afterwards. Nothing answers at these ports any more.
func (c *update) clearProxies(ctx context.Context) error {
	stale := c.lb().staleProxies()
	for _, backend := range c.lb().BackendServerDescriptions {
		port := int(aws.ToInt32(backend.InstancePort))
		kept := slices.Contains(stale, port) && !c.differs(desired.FieldStaleProxies)
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
func (c *update) setTLSPolicy(ctx context.Context, port int, predefined string) error {
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
				return c.lb().hasPolicy(name) || strings.HasPrefix(name, tlsPolicyPrefix) || strings.HasPrefix(name, balancer.PredefinedPolicy)
			})...)
		}
	}
	_, err := c.client.SetLoadBalancerPoliciesOfListener(ctx, &sdk.SetLoadBalancerPoliciesOfListenerInput{
		LoadBalancerName: c.lb().LoadBalancerName, LoadBalancerPort: int32(port), PolicyNames: names, //nolint:gosec // a port
	})
	if err != nil {
		return fmt.Errorf("setting policy %s for port %d of classic balancer %s: %w", name, port, c.lb().name(), err)
	}
	return nil
}

// setProxy adds the proxy policy to those of a node port, or takes it from them.
func (c *update) setProxy(ctx context.Context, nodePort int, on bool) error {
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
	_, err := c.client.SetLoadBalancerPoliciesForBackendServer(ctx, &sdk.SetLoadBalancerPoliciesForBackendServerInput{
		LoadBalancerName: c.lb().LoadBalancerName, InstancePort: new(int32(nodePort)), PolicyNames: names, //nolint:gosec // a port
	})
	if err != nil {
		return fmt.Errorf("setting the policies for node port %d of classic balancer %s: %w", nodePort, c.lb().name(), err)
	}
	return nil
}

// makePolicy makes a policy unless the balancer has it. A policy is never changed, so that its
// name says what it is.
func (c *update) makePolicy(ctx context.Context, name, kind, attribute, value string) error {
	if c.lb().hasPolicy(name) || c.policies[name] {
		return nil
	}
	_, err := c.client.CreateLoadBalancerPolicy(ctx, &sdk.CreateLoadBalancerPolicyInput{
		LoadBalancerName: c.lb().LoadBalancerName, PolicyName: &name, PolicyTypeName: &kind,
		PolicyAttributes: []types.PolicyAttribute{{AttributeName: &attribute, AttributeValue: &value}},
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
