package elb

import (
	"context"
	"errors"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// ResourceKinds returns the kinds of resources in the order of making. Tags, subnets, security groups
// and listeners are in the request that makes a balancer. Subnets change last: targets do not wait
// for them.
func (e *Balancers) ResourceKinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{
			Name: kindBalancer, Anchor: true, Brings: []string{kindSubnet, kindGroups, kindListener}, CreateBalancer: e.create,
			Delete: func(ctx context.Context, present cloud.Resource) error {
				_, err := e.Client.DeleteLoadBalancer(ctx, &sdk.DeleteLoadBalancerInput{LoadBalancerName: &present.ID})
				return failure.UnlessGone(err)
			},
		},
		tag.Kind(kindTags, e.writeTags),
		balancer.Written(kindGroups, fieldBalancer, func(ctx context.Context, r cloud.Resource, _ []string) error {
			_, err := e.Client.ApplySecurityGroupsToLoadBalancer(ctx, &sdk.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: nameOf(r), SecurityGroups: idsIn(fieldGroups, r)})
			return err
		}),
		e.listenerKind(),
		balancer.Written(kindPolicy, fieldBalancer, e.createPolicy),
		balancer.Written(kindTLS, fieldBalancer, func(ctx context.Context, r cloud.Resource, _ []string) error {
			_, err := e.Client.SetLoadBalancerPoliciesOfListener(ctx, &sdk.SetLoadBalancerPoliciesOfListenerInput{
				LoadBalancerName: nameOf(r), LoadBalancerPort: *parse32(r.Key), PolicyNames: idsIn(fieldPolicies, r),
			})
			return err
		}),
		balancer.Written(kindProxy, fieldBalancer, func(ctx context.Context, r cloud.Resource, changed []string) error {
			names := idsIn(fieldPolicies, r)
			if len(changed) == 0 { // it goes, and takes the proxy policy away
				names = names[:len(names)-1]
			}
			_, err := e.Client.SetLoadBalancerPoliciesForBackendServer(ctx, &sdk.SetLoadBalancerPoliciesForBackendServerInput{
				LoadBalancerName: nameOf(r), InstancePort: parse32(r.Key), PolicyNames: names,
			})
			return err
		}),
		balancer.Written(kindHealth, fieldBalancer, e.configureHealth), balancer.Written(kindAttributes, fieldBalancer, e.modifyAttributes), e.targetKind(), e.subnetKind(),
	}
}

// nameOf returns the name of the balancer that a part belongs to.
func nameOf(part cloud.Resource) *string {
	return new(fieldBalancer.Of(part).ID)
}

// idsIn are the ids in a field of a part.
func idsIn(field cloud.Field[[]cloud.Reference], part cloud.Resource) []string {
	ids := []string{} // AWS wants a list, an empty one too
	for _, ref := range field.Of(part) {
		ids = append(ids, ref.ID)
	}
	return ids
}

func subnets(parts []cloud.Resource) (ids []string) {
	for _, part := range parts {
		ids = append(ids, fieldSubnet.Of(part))
	}
	return ids
}

// create makes a balancer with its tags, subnets, security groups and listeners. When the answer is
// lost the next run finds it by its name.
func (e *Balancers) create(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (cloud.Made, error) {
	input := &sdk.CreateLoadBalancerInput{LoadBalancerName: &wanted.Key, Tags: tagList(fieldTags.Of(wanted))}
	for _, part := range with {
		switch part.Kind {
		case kindSubnet:
			input.Subnets = append(input.Subnets, fieldSubnet.Of(part))
		case kindGroups:
			input.SecurityGroups = idsIn(fieldGroups, part)
		case kindListener:
			input.Listeners = append(input.Listeners, listeners(part)...)
		}
	}
	if nativeScope.Open(wanted.Native) == cloud.ScopeInternal {
		input.Scheme = new(schemeInternal)
	}
	made, err := e.Client.CreateLoadBalancer(ctx, input)
	if err != nil {
		return cloud.Made{}, err
	}
	return cloud.Made{ID: wanted.Key, Addresses: balancer.At(made.DNSName)}, nil
}

func tagList(tags map[string]string) []types.Tag {
	return tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}

func listeners(parts ...cloud.Resource) []types.Listener {
	var list []types.Listener
	for _, part := range parts {
		list = append(list, listenerInput(nativeListener.Open(part.Native)))
	}
	return list
}

// listenerInput is a listener as AWS is asked for it.
func listenerInput(l cloud.Listener) types.Listener {
	input := types.Listener{
		Protocol: new(string(l.Protocol)), LoadBalancerPort: int32(l.Port), //nolint:gosec // a port
		InstanceProtocol: new(string(l.TargetProtocol)), InstancePort: new(int32(l.TargetPort)), //nolint:gosec // a port
	}
	if certificate := l.ProviderFields[balancer.FieldCertificates]; certificate != "" {
		input.SSLCertificateId = &certificate
	}
	return input
}

func (e *Balancers) writeTags(ctx context.Context, names []string, add map[string]string, remove []string) error {
	if len(remove) == 0 {
		_, err := e.Client.AddTags(ctx, &sdk.AddTagsInput{LoadBalancerNames: names, Tags: tagList(add)})
		return err
	}
	input := &sdk.RemoveTagsInput{LoadBalancerNames: names}
	for _, key := range remove {
		input.Tags = append(input.Tags, types.TagKeyOnly{Key: &key})
	}
	_, err := e.Client.RemoveTags(ctx, input)
	return err
}

// listenerKind are listeners. Whether the policies of a port of the instances outlive the last listener that leads there the
// documents do not say.
func (e *Balancers) listenerKind() cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kindListener, Together: fieldBalancer, Immutable: []cloud.AnyField{fieldProtocol, fieldTargetProtocol, fieldTargetPort}, Takes: []string{kindTLS}, Disturbs: []string{kindProxy},
		Add: func(ctx context.Context, wanted []cloud.Resource) error {
			_, err := e.Client.CreateLoadBalancerListeners(ctx, &sdk.CreateLoadBalancerListenersInput{LoadBalancerName: nameOf(wanted[0]), Listeners: listeners(wanted...)})
			return err
		},
		Update: func(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
			l := listeners(wanted)[0]
			_, err := e.Client.SetLoadBalancerListenerSSLCertificate(ctx, &sdk.SetLoadBalancerListenerSSLCertificateInput{
				LoadBalancerName: nameOf(wanted), LoadBalancerPort: l.LoadBalancerPort, SSLCertificateId: l.SSLCertificateId,
			})
			return err
		},
		Remove: func(ctx context.Context, present []cloud.Resource) error {
			input := &sdk.DeleteLoadBalancerListenersInput{LoadBalancerName: nameOf(present[0])}
			for _, l := range listeners(present...) {
				input.LoadBalancerPorts = append(input.LoadBalancerPorts, l.LoadBalancerPort)
			}
			_, err := e.Client.DeleteLoadBalancerListeners(ctx, input)
			return err
		},
	}
}

// subnetKind are the subnets of a balancer. It can have one in each zone, and the zone of a subnet that was
// detached a moment ago may not be free yet.
func (e *Balancers) subnetKind() cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kindSubnet, Together: fieldBalancer, Immutable: []cloud.AnyField{fieldSubnet},
		Add: func(ctx context.Context, wanted []cloud.Resource) error {
			_, err := e.Client.AttachLoadBalancerToSubnets(ctx, &sdk.AttachLoadBalancerToSubnetsInput{LoadBalancerName: nameOf(wanted[0]), Subnets: subnets(wanted)})
			return refusedSubnets(err)
		},
		Remove: func(ctx context.Context, present []cloud.Resource) error {
			_, err := e.Client.DetachLoadBalancerFromSubnets(ctx, &sdk.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: nameOf(present[0]), Subnets: subnets(present)})
			return refusedSubnets(err)
		},
	}
}

// retryAfter is when AWS is asked again for what it refused although it may take it later.
const retryAfter = 15 * time.Second

// refusedSubnets makes AWS's refusal of a change of subnets one that waits, and says why: the zone
// may not be free yet, or the subnets be none that the balancer can do with.
func refusedSubnets(err error) error {
	if refused, is := errors.AsType[*types.InvalidConfigurationRequestException](err); is {
		return &cloud.Waiting{After: retryAfter, Warnings: []cloud.Warning{{Field: option.Subnets.Name, Message: "the subnets are not changed: " + refused.Error()}}}
	}
	return err
}
