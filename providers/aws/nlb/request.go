package nlb

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The kinds of resources that only network balancers have.
const (
	kindTags        = "tags of a network load balancer"
	kindBalancer    = "network load balancer"
	kindTimed       = "tag of a network load balancer with idle timeouts"
	kindTimeout     = "idle timeout of a listener"
	kindAttributes  = "attributes of a network load balancer"
	kindListener    = "listener of a network load balancer"
	kindCertificate = "certificate of a network load balancer"
)

// Fields of resources, by their names in the API.
var (
	fieldBalancer    = cloud.NewField[cloud.Reference]("LoadBalancerArn")
	fieldGroups      = cloud.NewField[[]cloud.Reference]("SecurityGroups")
	fieldSubnets     = cloud.NewField[string]("SubnetMappings")
	fieldStack       = cloud.NewField[types.IpAddressType]("IpAddressType")
	fieldStackLast   = cloud.NewField[types.IpAddressType]("SubnetMappings, then IpAddressType") // see change
	fieldProtocol    = cloud.NewField[cloud.Protocol]("Protocol")
	fieldTransport   = cloud.NewField[cloud.Protocol]("transport") // of the protocol: AWS does not change TCP into UDP
	fieldCertificate = cloud.NewField[string]("Certificates")
	fieldPolicy      = cloud.NewField[string]("SslPolicy")
	fieldTargets     = cloud.NewField[cloud.Reference]("TargetGroupArn")
	fieldListener    = cloud.NewField[cloud.Reference]("ListenerArn")
	fieldPort        = cloud.NewField[int]("Port")
	fieldTags        = cloud.NewField[map[string]string]("Tags") // with which it is made
)

// nativeBalancer is the portable view of a balancer.
var nativeBalancer cloud.NativeOf[cloud.Balancer]

// subnetMappings are the subnets of a wanted balancer with their addresses, sorted.
func subnetMappings(b cloud.Balancer) []types.SubnetMapping {
	var mappings []types.SubnetMapping
	places := desired.Places(b.ProviderFields[balancer.FieldSubnets])
	for _, id := range slices.Sorted(maps.Keys(places)) {
		m, address := types.SubnetMapping{SubnetId: new(id)}, places[id]
		switch {
		case option.IsAllocation(address):
			m.AllocationId = &address
		case address != "":
			m.PrivateIPv4Address = &address
		}
		mappings = append(mappings, m)
	}
	return mappings
}

// ResourceKinds returns the kinds of resources in the order of making. Target groups are filled before
// a listener leads to them.
func (n *Balancers) ResourceKinds() []cloud.ResourceKind {
	balancers := []cloud.ResourceKind{
		tag.Kind(kindTags, n.writeTags),
		{Name: kindBalancer, Anchor: true, Takes: []string{kindListener, kindTimed}, Separate: []cloud.AnyField{fieldStack, fieldGroups, fieldSubnets, fieldStackLast}, CreateBalancer: n.create, Update: n.change, Delete: n.remove},
		{
			Name: kindTimed,
			Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
				return "", n.writeTags(ctx, []string{fieldBalancer.Of(wanted).ID}, map[string]string{tag.Timed: "true"}, nil)
			},
			Delete: func(ctx context.Context, present cloud.Resource) error {
				return n.writeTags(ctx, []string{fieldBalancer.Of(present).ID}, nil, []string{tag.Timed})
			},
		},
		balancer.Written(kindAttributes, fieldBalancer, func(ctx context.Context, wanted cloud.Resource, keys []string) error {
			var list []types.LoadBalancerAttribute
			for _, key := range keys {
				list = append(list, types.LoadBalancerAttribute{Key: &key, Value: new(cloud.NewField[string](key).Of(wanted))})
			}
			_, err := n.Client.ModifyLoadBalancerAttributes(ctx, &sdk.ModifyLoadBalancerAttributesInput{LoadBalancerArn: new(fieldBalancer.Of(wanted).ID), Attributes: list})
			return err
		}),
	}
	listeners := []cloud.ResourceKind{
		{
			// What ModifyListener says of a change from TLS to TCP: the default certificate goes. Of the others it says nothing.
			Name: kindListener, Immutable: []cloud.AnyField{fieldTransport}, Takes: []string{kindCertificate, kindTimeout}, Disturbs: []string{kindCertificate},
			Create: n.createListener, Update: n.changeListener,
			Delete: func(ctx context.Context, present cloud.Resource) error {
				_, err := n.Client.DeleteListener(ctx, &sdk.DeleteListenerInput{ListenerArn: &present.ID})
				return failure.UnlessGone(err)
			},
		},
		balancer.Written(kindTimeout, fieldListener, func(ctx context.Context, wanted cloud.Resource, _ []string) error {
			_, err := n.Client.ModifyListenerAttributes(ctx, &sdk.ModifyListenerAttributesInput{
				ListenerArn: new(fieldListener.Of(wanted).ID), Attributes: []types.ListenerAttribute{{Key: new(attributeTimeout.Name()), Value: new(attributeTimeout.Of(wanted))}},
			})
			return err
		}),
		n.certificateKind(),
	}
	return slices.Concat(balancers, n.Targets.Kinds(), listeners)
}

// tagList returns tags as AWS takes them, sorted by key.
func tagList(tags map[string]string) []types.Tag {
	return tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}

// writeTags writes tags of the balancer, its listeners and target groups, or removes some.
func (n *Balancers) writeTags(ctx context.Context, arns []string, add map[string]string, remove []string) error {
	if len(remove) > 0 {
		_, err := n.Client.RemoveTags(ctx, &sdk.RemoveTagsInput{ResourceArns: arns, TagKeys: remove})
		return err
	}
	_, err := n.Client.AddTags(ctx, &sdk.AddTagsInput{ResourceArns: arns, Tags: tagList(add)})
	return err
}

func (n *Balancers) create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (cloud.Made, error) {
	b := nativeBalancer.Open(wanted.Native)
	scheme := types.LoadBalancerSchemeEnumInternetFacing
	if b.Scope == cloud.ScopeInternal {
		scheme = types.LoadBalancerSchemeEnumInternal
	}
	made, err := n.Client.CreateLoadBalancer(ctx, &sdk.CreateLoadBalancerInput{
		Name: &b.Name, Type: types.LoadBalancerTypeEnumNetwork, Scheme: scheme, IpAddressType: stackOf(wanted),
		SubnetMappings: subnetMappings(b), SecurityGroups: groupIDs(wanted), Tags: tagList(fieldTags.Of(wanted)),
	})
	if err == nil && (len(made.LoadBalancers) == 0 || made.LoadBalancers[0].LoadBalancerArn == nil) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return cloud.Made{}, err
	}
	lb := made.LoadBalancers[0]
	if err = cloud.AnswersCreation(*lb.LoadBalancerArn, cloud.NameAndTags{Name: b.Name}, cloud.NameAndTags{Name: aws.ToString(lb.LoadBalancerName)}); err != nil {
		return cloud.Made{}, err
	}
	return cloud.Made{ID: *lb.LoadBalancerArn, Addresses: balancer.At(lb.DNSName)}, nil
}

func stackOf(r cloud.Resource) types.IpAddressType {
	return cmp.Or(fieldStack.Of(r), fieldStackLast.Of(r))
}

// groupIDs are the security groups of a balancer.
func groupIDs(r cloud.Resource) (ids []string) {
	for _, group := range fieldGroups.Of(r) {
		ids = append(ids, group.ID)
	}
	return ids
}

// change changes the address type, the security groups or the subnets, which take a request each and change in the order of the names
// of their fields. With IPv6 each subnet needs a range of it, so that a balancer gets it after its subnets and loses it before.
func (n *Balancers) change(ctx context.Context, present, wanted cloud.Resource, fields []string) (err error) {
	b := nativeBalancer.Open(wanted.Native)
	switch fields[0] {
	case fieldGroups.Name():
		_, err = n.Client.SetSecurityGroups(ctx, &sdk.SetSecurityGroupsInput{LoadBalancerArn: &present.ID, SecurityGroups: groupIDs(wanted)})
	case fieldSubnets.Name():
		_, err = n.Client.SetSubnets(ctx, &sdk.SetSubnetsInput{LoadBalancerArn: &present.ID, SubnetMappings: subnetMappings(b)})
	case fieldStack.Name(), fieldStackLast.Name():
		_, err = n.Client.SetIpAddressType(ctx, &sdk.SetIpAddressTypeInput{LoadBalancerArn: &present.ID, IpAddressType: stackOf(wanted)})
	}
	return err
}

func (n *Balancers) remove(ctx context.Context, present cloud.Resource) error {
	_, err := n.Client.DeleteLoadBalancer(ctx, &sdk.DeleteLoadBalancerInput{LoadBalancerArn: &present.ID})
	switch {
	case failure.Is(err, "OperationNotPermitted"):
		return protected(present.Key)
	case failure.IsGone(err): // that is proved by a list
		return &cloud.Waiting{}
	}
	return err
}

func forwardTo(r cloud.Resource) []types.Action {
	return []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: new(fieldTargets.Of(r).ID)}}
}

// certificateList is the certificate of a resource.
func certificateList(r cloud.Resource) []types.Certificate {
	return []types.Certificate{{CertificateArn: new(fieldCertificate.Of(r))}}
}

// tls returns certificate and policy of a listener, nil where it has none.
func tls(r cloud.Resource) (certificates []types.Certificate, policy *string) {
	if fieldCertificate.Of(r) == "" {
		return nil, nil
	}
	return certificateList(r), new(fieldPolicy.Of(r))
}

func (n *Balancers) createListener(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	input := &sdk.CreateListenerInput{
		LoadBalancerArn: new(fieldBalancer.Of(wanted).ID), Port: aws.Int32(int32(fieldPort.Of(wanted))), Protocol: types.ProtocolEnum(fieldProtocol.Of(wanted)),
		DefaultActions: forwardTo(wanted), Tags: tagList(fieldTags.Of(wanted)),
	}
	input.Certificates, input.SslPolicy = tls(wanted)
	made, err := n.Client.CreateListener(ctx, input)
	if err == nil && (len(made.Listeners) == 0 || made.Listeners[0].ListenerArn == nil) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return "", err
	}
	return *made.Listeners[0].ListenerArn, nil
}

// changeListener changes what differs. Certificate and policy go together, and with the protocol.
func (n *Balancers) changeListener(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	input := &sdk.ModifyListenerInput{ListenerArn: &present.ID}
	for _, field := range fields {
		switch field {
		case fieldTargets.Name():
			input.DefaultActions = forwardTo(wanted)
		case fieldProtocol.Name():
			input.Protocol = types.ProtocolEnum(fieldProtocol.Of(wanted))
			fallthrough
		default:
			input.Certificates, input.SslPolicy = tls(wanted)
		}
	}
	_, err := n.Client.ModifyListener(ctx, input)
	return err
}

// certificateKind are the certificates of listeners besides the default one.
func (n *Balancers) certificateKind() cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kindCertificate,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			_, err := n.Client.AddListenerCertificates(ctx, &sdk.AddListenerCertificatesInput{ListenerArn: new(fieldListener.Of(wanted).ID), Certificates: certificateList(wanted)})
			return "", err
		},
		Delete: func(ctx context.Context, present cloud.Resource) error {
			_, err := n.Client.RemoveListenerCertificates(ctx, &sdk.RemoveListenerCertificatesInput{ListenerArn: new(fieldListener.Of(present).ID), Certificates: certificateList(present)})
			return err
		},
	}
}
