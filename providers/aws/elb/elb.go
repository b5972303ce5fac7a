// Package elb reads and writes Classic Load Balancers.
package elb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Observe is what a classic balancer says to the kernel. AWS takes changes of it at any
// time, so that it is never pending.
func (e *Balancers) Observe(ctx context.Context, s *Snapshot, in cloud.Input) (cloud.Observed, error) {
	lb := s.Balancer
	if !in.Deleting && !in.JustTargets {
		if err := e.complete(ctx, lb); err != nil {
			return cloud.Observed{}, err
		}
	}
	o := cloud.Observed{
		Found: true, ID: s.Name, Owner: e.Cluster.Owner(s.Name, lb.Tags, in.Owner), State: cloud.BalancerActive,
		Addresses: balancer.At(lb.DNSName), Balancer: e.view(s, in.Spec),
	}
	return o, nil
}

// view is a classic balancer as Normalize would ask for it.
func (e *Balancers) view(s *Snapshot, spec cloud.Spec) cloud.Balancer {
	lb := s.Balancer
	_, own := e.own(s, spec)
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
			balancer.FieldGroups:  balancer.GroupsText(lb.SecurityGroups, own),
			balancer.FieldTags:    tag.Observed(lb.Tags, spec),
		},
		OwnershipTags: e.Cluster.ObservedOwnershipTags(lb.Tags),
	}
	maps.Copy(b.ProviderFields, lb.attributes)
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
	own, _ := e.own(s, spec)
	if own == nil || !e.HasOwnGroup(spec) {
		return nil
	}
	return secgroup.Ingress(*own).Peers()
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

// Balancers reads and writes Classic Load Balancers.
type Balancers struct {
	desired.Settings
	Client   *sdk.Client
	Security *secgroup.Groups
}

// Snapshot is what was read of a Service's classic balancer and of what surrounds it.
type Snapshot struct {
	Inventory *vpc.Inventory
	// Name is the balancer's name, where there is none the one it would have.
	Name string
	// Balancer is nil where there is none yet.
	Balancer *Balancer
}

const (
	// pageSize is how many balancers are asked for at once. AWS gives 400, but of each all its instances, of which it may have 1,000: four times as much
	// would be more than an answer may take of memory.
	pageSize = 100
	// tagBatch is the most balancers whose tags AWS answers with at once.
	tagBatch = 20
)

// Balancer is a Classic Load Balancer: its description, and what AWS has to be asked for
// besides.
type Balancer struct {
	types.LoadBalancerDescription
	Tags map[string]string
	// attributes are as in the portable view. They are nil where they were not read.
	attributes map[string]string
}

// Find returns the balancer of that name with its tags, nil when there is none.
func (e *Balancers) Find(ctx context.Context, name string) (*Balancer, error) {
	answer, err := e.Client.DescribeLoadBalancers(ctx, &sdk.DescribeLoadBalancersInput{LoadBalancerNames: []string{name}})
	switch {
	case failure.IsGone(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading classic balancer %s: %w", name, err)
	case len(answer.LoadBalancerDescriptions) != 1:
		return nil, fmt.Errorf("reading classic balancer %s: AWS answered with %d", name, len(answer.LoadBalancerDescriptions))
	}
	tags, err := e.tags(ctx, []string{name})
	if err != nil || tags[name] == nil {
		return nil, err
	}
	return &Balancer{LoadBalancerDescription: answer.LoadBalancerDescriptions[0], Tags: tags[name]}, nil
}

// List returns all classic balancers of the region with their tags.
func (e *Balancers) List(ctx context.Context) ([]Balancer, error) {
	list, err := e.describe(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range list {
		names = append(names, aws.ToString(b.LoadBalancerName))
	}
	tags, err := e.tags(ctx, names)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Tags = tags[names[i]]
	}
	// What has no entry was deleted since it was listed.
	return slices.DeleteFunc(list, func(b Balancer) bool { return b.Tags == nil }), nil
}

// tags returns the tags of each of these balancers that is there.
func (e *Balancers) tags(ctx context.Context, names []string) (map[string]map[string]string, error) {
	return tag.ByID(names, tagBatch, func(names []string) (map[string]map[string]string, error) {
		answer, err := e.Client.DescribeTags(ctx, &sdk.DescribeTagsInput{LoadBalancerNames: names})
		if err != nil {
			return nil, fmt.Errorf("reading the tags of classic balancers: %w", err)
		}
		found := map[string]map[string]string{}
		for _, name := range names {
			found[name] = map[string]string{}
		}
		for _, description := range answer.TagDescriptions {
			for _, tag := range description.Tags {
				found[aws.ToString(description.LoadBalancerName)][aws.ToString(tag.Key)] = aws.ToString(tag.Value)
			}
		}
		return found, nil
	})
}

// describe returns all classic balancers of the region, without their tags.
func (e *Balancers) describe(ctx context.Context) ([]Balancer, error) {
	found, err := filter.All(func(page *string) (*sdk.DescribeLoadBalancersOutput, error) {
		return e.Client.DescribeLoadBalancers(ctx, &sdk.DescribeLoadBalancersInput{PageSize: new(int32(pageSize)), Marker: page})
	}, func(o *sdk.DescribeLoadBalancersOutput) ([]types.LoadBalancerDescription, *string) {
		return o.LoadBalancerDescriptions, o.NextMarker
	})
	if err != nil {
		return nil, fmt.Errorf("listing classic balancers: %w", err)
	}
	list := []Balancer{}
	for _, description := range found {
		list = append(list, Balancer{LoadBalancerDescription: description})
	}
	return list, nil
}

// complete reads what neither list nor description has: the attributes.
func (e *Balancers) complete(ctx context.Context, b *Balancer) error {
	answer, err := e.Client.DescribeLoadBalancerAttributes(ctx, &sdk.DescribeLoadBalancerAttributesInput{LoadBalancerName: b.LoadBalancerName})
	if err == nil && answer.LoadBalancerAttributes == nil {
		err = errors.New("AWS answered with none")
	}
	if err != nil {
		return fmt.Errorf("reading the attributes of classic balancer %s: %w", aws.ToString(b.LoadBalancerName), err)
	}
	b.attributes = viewAttributes(answer.LoadBalancerAttributes)
	return nil
}
