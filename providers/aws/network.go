package aws

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// networkBalancer is a Network Load Balancer and all that belongs to it.
type networkBalancer struct {
	elbtypes.LoadBalancer
	tags       map[string]string
	attributes map[string]string
	listeners  []networkListener
}

// networkListener is a listener with the target group it leads to.
type networkListener struct {
	elbtypes.Listener
	// extra are the certificates besides the default one, sorted.
	extra []string
	group targetGroup
}

const (
	networkPage = 400 // of DescribeLoadBalancers and DescribeTargetGroups
	tagBatch    = 20  // ARNs of one DescribeTags
)

// Error codes of what is not there.
const (
	codeNoBalancer    = "LoadBalancerNotFound"
	codeNoListener    = "ListenerNotFound"
	codeNoTargetGroup = "TargetGroupNotFound"
	codeBadTarget     = "InvalidTarget" // an instance that does not run, or an address outside
)

func (lb *networkBalancer) scope() cloud.Scope {
	return cloud.ScopeOf(lb.Scheme == elbtypes.LoadBalancerSchemeEnumInternal)
}

func (lb *networkBalancer) dualStack() bool {
	return lb.IpAddressType == elbtypes.IpAddressTypeDualstack
}

// subnets are the ids of its subnets, sorted.
func (lb *networkBalancer) subnets() []string {
	var ids []string
	for _, zone := range lb.AvailabilityZones {
		ids = append(ids, awssdk.ToString(zone.SubnetId))
	}
	slices.Sort(ids)
	return ids
}

// addressOf returns the address that was asked for in a subnet: an allocation id or a private
// address, "" when AWS chose.
func (lb *networkBalancer) addressOf(subnet string) string {
	for _, zone := range lb.AvailabilityZones {
		if awssdk.ToString(zone.SubnetId) != subnet {
			continue
		}
		for _, address := range zone.LoadBalancerAddresses {
			if id := awssdk.ToString(address.AllocationId); id != "" {
				return id
			}
			if ip := awssdk.ToString(address.PrivateIPv4Address); ip != "" {
				return ip
			}
		}
	}
	return ""
}

// placesText returns subnets with their addresses as in fieldSubnets.
func placesText(subnets []string, addressOf func(string) string) string {
	var places []string
	for _, id := range subnets {
		if address := addressOf(id); address != "" {
			id += "=" + address
		}
		places = append(places, id)
	}
	slices.Sort(places)
	return strings.Join(places, ",")
}

// findNetwork returns the balancer with that name or ARN and its tags, nil when there is none.
func (d *Driver) findNetwork(ctx context.Context, id string) (*networkBalancer, error) {
	input := &elb.DescribeLoadBalancersInput{Names: []string{id}}
	if kindOf(id) == kindNetwork {
		input = &elb.DescribeLoadBalancersInput{LoadBalancerArns: []string{id}}
	}
	found, err := d.readNetwork(ctx, input)
	if failure.Is(err, codeNoBalancer) || len(found) == 0 {
		return nil, failure.Ignore(err, codeNoBalancer)
	}
	return &found[0], err
}

// listNetwork returns all network balancers of the VPC with their tags.
func (d *Driver) listNetwork(ctx context.Context) ([]networkBalancer, error) {
	return d.readNetwork(ctx, &elb.DescribeLoadBalancersInput{PageSize: awssdk.Int32(networkPage)})
}

func (d *Driver) readNetwork(ctx context.Context, input *elb.DescribeLoadBalancersInput) ([]networkBalancer, error) {
	var list []networkBalancer
	var arns []string
	for pages := elb.NewDescribeLoadBalancersPaginator(d.Network, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the network load balancers: %w", err)
		}
		for _, lb := range page.LoadBalancers {
			if lb.Type == elbtypes.LoadBalancerTypeEnumNetwork && awssdk.ToString(lb.VpcId) == d.config.Cluster.VPC {
				list, arns = append(list, networkBalancer{LoadBalancer: lb}), append(arns, awssdk.ToString(lb.LoadBalancerArn))
			}
		}
	}
	tags, err := d.networkTags(ctx, arns)
	for i := range list {
		list[i].tags = tags[arns[i]]
	}
	return list, err
}

// networkTags returns the tags of objects by their ARNs. What was deleted meanwhile has none.
func (d *Driver) networkTags(ctx context.Context, arns []string) (map[string]map[string]string, error) {
	tags := map[string]map[string]string{}
	for batch := range slices.Chunk(arns, tagBatch) {
		if err := d.addNetworkTags(ctx, batch, tags); err != nil {
			return nil, err
		}
	}
	return tags, nil
}

// addNetworkTags reads the tags of a batch. AWS refuses the whole question when one of them is
// not there, so that it is asked again in halves.
func (d *Driver) addNetworkTags(ctx context.Context, arns []string, tags map[string]map[string]string) error {
	answer, err := d.Network.DescribeTags(ctx, &elb.DescribeTagsInput{ResourceArns: arns})
	switch missing := failure.Is(err, codeNoBalancer, codeNoListener, codeNoTargetGroup); {
	case missing && len(arns) == 1:
		return nil
	case missing:
		half := len(arns) / 2
		if err := d.addNetworkTags(ctx, arns[:half], tags); err != nil {
			return err
		}
		return d.addNetworkTags(ctx, arns[half:], tags)
	case err != nil:
		return fmt.Errorf("reading the tags of network load balancers: %w", err)
	}
	for _, described := range answer.TagDescriptions {
		of := map[string]string{}
		for _, tag := range described.Tags {
			of[awssdk.ToString(tag.Key)] = awssdk.ToString(tag.Value)
		}
		tags[awssdk.ToString(described.ResourceArn)] = of
	}
	return nil
}

// complete reads what is in a network balancer: attributes, listeners and their target groups,
// of which all are listed.
func (d *Driver) complete(ctx context.Context, lb *networkBalancer, groups []targetGroup) error {
	attributes, err := d.Network.DescribeLoadBalancerAttributes(ctx, &elb.DescribeLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn})
	if err != nil {
		return fmt.Errorf("reading the attributes: %w", err)
	}
	lb.attributes = map[string]string{}
	for _, attribute := range attributes.Attributes {
		lb.attributes[awssdk.ToString(attribute.Key)] = awssdk.ToString(attribute.Value)
	}
	for pages := elb.NewDescribeListenersPaginator(d.Network, &elb.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading the listeners: %w", err)
		}
		for _, l := range page.Listeners {
			listener, err := d.completeListener(ctx, l, groups)
			if err != nil {
				return err
			}
			lb.listeners = append(lb.listeners, listener)
		}
	}
	return d.tagGroups(ctx, lb)
}

// tagGroups reads the tags of the target groups, by which those of the user are known.
func (d *Driver) tagGroups(ctx context.Context, lb *networkBalancer) error {
	var arns []string
	for _, l := range lb.listeners {
		if l.group.TargetGroupArn != nil {
			arns = append(arns, *l.group.TargetGroupArn)
		}
	}
	tags, err := d.networkTags(ctx, arns)
	for i := range lb.listeners {
		lb.listeners[i].group.tags = tags[awssdk.ToString(lb.listeners[i].group.TargetGroupArn)]
	}
	return err
}

func (d *Driver) completeListener(ctx context.Context, l elbtypes.Listener, groups []targetGroup) (networkListener, error) {
	listener := networkListener{Listener: l}
	if l.Protocol == elbtypes.ProtocolEnumTls {
		certificates, err := d.Network.DescribeListenerCertificates(ctx, &elb.DescribeListenerCertificatesInput{ListenerArn: l.ListenerArn})
		if err != nil {
			return listener, fmt.Errorf("reading the certificates of listener %d: %w", awssdk.ToInt32(l.Port), err)
		}
		for _, c := range certificates.Certificates {
			if arn := awssdk.ToString(c.CertificateArn); !awssdk.ToBool(c.IsDefault) && arn != listener.certificate() {
				listener.extra = append(listener.extra, arn)
			}
		}
		slices.Sort(listener.extra)
	}
	arn := listener.leadsTo()
	if group := pick(groups, func(g *targetGroup) bool { return awssdk.ToString(g.TargetGroupArn) == arn }); group != nil {
		listener.group = *group
		return listener, d.completeGroup(ctx, &listener.group)
	}
	return listener, nil
}

// leadsTo returns the ARN of the target group the listener forwards to.
func (l networkListener) leadsTo() string {
	for _, action := range l.DefaultActions {
		if arn := awssdk.ToString(action.TargetGroupArn); arn != "" {
			return arn
		}
		if action.ForwardConfig != nil && len(action.ForwardConfig.TargetGroups) > 0 {
			return awssdk.ToString(action.ForwardConfig.TargetGroups[0].TargetGroupArn)
		}
	}
	return ""
}

// certificate is the ARN of the default certificate.
func (l networkListener) certificate() string {
	for _, c := range l.Certificates {
		if arn := awssdk.ToString(c.CertificateArn); arn != "" {
			return arn
		}
	}
	return ""
}

// observeNetwork reads the rest of a network balancer that was found.
func (d *Driver) observeNetwork(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) (cloud.Observed, error) {
	lb := s.network
	groups, err := d.targetGroups(ctx, v)
	if err != nil {
		return cloud.Observed{}, err
	}
	if err := d.complete(ctx, lb, groups); err != nil {
		return cloud.Observed{}, fmt.Errorf("reading network load balancer %s: %w", awssdk.ToString(lb.LoadBalancerName), err)
	}
	if err := d.readSpares(ctx, s, &bulkList{groups: groups}, spec); err != nil {
		return cloud.Observed{}, err
	}
	o := cloud.Observed{
		Found: true, ID: awssdk.ToString(lb.LoadBalancerArn), State: cloud.BalancerActive,
		Owner: d.config.Cluster.Owner(awssdk.ToString(lb.LoadBalancerName), lb.tags, spec.Ref.Owner), Lookups: d.lookups(s, spec), Native: s,
	}
	if lb.State != nil && lb.State.Code == elbtypes.LoadBalancerStateEnumFailed {
		o.State, o.Detail = cloud.BalancerFailed, awssdk.ToString(lb.State.Reason)
	}
	if host := awssdk.ToString(lb.DNSName); host != "" {
		o.Addresses = []cloud.BalancerAddress{{Hostname: host}}
	}
	o.Balancer = d.viewNetwork(s, spec)
	return o, nil
}
