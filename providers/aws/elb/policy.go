package elb

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Policies of classic balancers, with upstream's names.
const (
	// proxyPolicy is set for node ports where connections begin with a PROXY protocol header.
	proxyPolicy = "k8s-proxyprotocol-enabled"
	// tlsPolicyPrefix and the name of a predefined policy are the name of a policy like that one.
	tlsPolicyPrefix = "k8s-SSLNegotiationPolicy-"
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

// addPolicies adds the policies of the balancer, and those that its listeners and node ports have. A
// listener that has, and keeps, what AWS gives to each by itself is left alone.
func (p *parts) addPolicies() {
	before, after := p.change.Before.Balancer, *p.change.After
	for _, name := range p.has.otherPolicies() {
		r := p.part(kindPolicy, name)
		r.ID = name
		p.Present = append(p.Present, r)
		p.want(r)
	}
	special := map[int]bool{}
	for _, l := range before.Listeners {
		if policy := l.ProviderFields[balancer.FieldTLSPolicy]; policy != "" && policy != balancer.DefaultTLSPolicy {
			special[l.Port] = true
			p.Present = append(p.Present, p.listenerPolicies(l))
		}
	}
	for _, l := range after.Listeners {
		if policy := l.ProviderFields[balancer.FieldTLSPolicy]; policy != "" && (policy != balancer.DefaultTLSPolicy || special[l.Port]) {
			p.want(p.part(kindPolicy, p.has.policyLike(policy)))
			p.want(p.listenerPolicies(l))
		}
	}
	present, wanted := p.nodePorts(before), p.nodePorts(after)
	for _, port := range p.has.proxied() {
		r, serves := present[port]
		if !serves {
			r = p.nodePort(port, "")
		}
		if _, stays := wanted[port]; stays {
			r = needing(r)
		}
		p.Present = append(p.Present, r)
	}
	for _, port := range slices.Sorted(maps.Keys(wanted)) {
		p.want(p.part(kindPolicy, proxyPolicy))
		p.want(wanted[port])
	}
}

// otherPolicies are the balancer's policies that are not about stickiness.
func (b *Balancer) otherPolicies() []string {
	if b.Policies == nil {
		return nil
	}
	return b.Policies.OtherPolicies
}

// want adds a resource unless it is wanted already.
func (p *parts) want(r cloud.Resource) {
	if !slices.ContainsFunc(p.Wanted, func(other cloud.Resource) bool { return other.Ref() == r.Ref() }) {
		p.Wanted = append(p.Wanted, r)
	}
}

// listenerPolicies are those of a listener that terminates TLS.
func (p *parts) listenerPolicies(l cloud.Listener) cloud.Resource {
	name := p.has.policyLike(l.ProviderFields[balancer.FieldTLSPolicy])
	policies := []cloud.Reference{toPolicy(name)}
	for _, other := range p.has.stickiness(l) {
		policies = append(policies, cloud.ToID(other))
	}
	return needing(p.part(kindTLS, strconv.Itoa(l.Port), fieldPolicies.Is(policies)), p.listener(l).Ref())
}

func toPolicy(name string) cloud.Reference { return cloud.To(cloud.IDOf{Kind: kindPolicy, Key: name}) }

// policyLike returns the name of the policy that is like a predefined one: the one that AWS has given
// to listeners of the balancer by itself, where it has.
func (b *Balancer) policyLike(predefined string) string {
	if b.hasPolicy(predefined) {
		return predefined
	}
	return tlsPolicyPrefix + predefined
}

func (b *Balancer) hasPolicy(name string) bool { return slices.Contains(b.otherPolicies(), name) }

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

func needing(r cloud.Resource, needs ...cloud.IDOf) cloud.Resource {
	r.Needs = needs
	return r
}

// nodePorts are the policies of the node ports with the proxy policy. One that is given up loses it
// before its listener goes: AWS may keep it at the port otherwise, for the next listener there. It may
// also go along with a listener that is made again, so that it is set again then.
func (p *parts) nodePorts(b cloud.Balancer) map[string]cloud.Resource {
	all := map[string]cloud.Resource{}
	for _, l := range b.Listeners {
		if port := strconv.Itoa(l.TargetPort); l.ProviderFields[balancer.FieldProxy] == "true" {
			all[port] = needing(p.nodePort(port, fmt.Sprintf("%d %s-%s", l.Port, l.Protocol, l.TargetProtocol)), p.listener(l).Ref())
		}
	}
	return all
}

func (p *parts) nodePort(port, listener string) cloud.Resource {
	var policies []cloud.Reference
	for _, other := range p.has.backendPolicies(port) {
		policies = append(policies, cloud.ToID(other))
	}
	policies = append(policies, toPolicy(proxyPolicy)) // the last one: setNodePortPolicies takes it away
	return p.part(kindProxy, port, fieldListener.Is(listener), fieldPolicies.Is(policies))
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

func number32(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
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
