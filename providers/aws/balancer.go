package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// AWS has two kinds of load balancers for Services: classic and network ones, with an API each.
// What they have in common is here; classic*.go and network*.go are about one of them.

// snapshot is what was read of a Service's balancer and of what surrounds it.
type snapshot struct {
	area *vpc.Inventory
	// One of classic and network is set where the balancer exists.
	classic *classicBalancer
	network *networkBalancer
	// guard is the balancer's own security group where it has just been made or opened.
	guard *ec2types.SecurityGroup
	// unused are target groups of the Service that no listener leads to.
	unused []targetGroup
	// taken are the names of all target groups there are.
	taken map[string]bool
	// released are target groups whose listener was deleted just now, retired those whose listener
	// leads to another one since.
	released, retired []targetGroup
	// refused are targets that AWS did not take, with what it said.
	refused map[string]string
	// alive are the ARNs of all network balancers, nil where they were not listed.
	alive map[string]bool
}

// name returns the balancer's name, where there is none the one it would have.
func (s *snapshot) name(spec cloud.Spec) string { return cmp.Or(s.present(), wantedName(spec)) }

// present returns the name of the balancer there is, "" for none.
func (s *snapshot) present() string {
	switch {
	case s.classic != nil:
		return awssdk.ToString(s.classic.LoadBalancerName)
	case s.network != nil:
		return awssdk.ToString(s.network.LoadBalancerName)
	}
	return ""
}

// wantedName returns the name the balancer shall have. One that was taken over keeps its own.
func wantedName(spec cloud.Spec) string {
	return cmp.Or(option.Name.In(spec.Options), spec.Lookups[lookupName], names.Default(spec.Ref.Owner.UID))
}

// wantedKind returns the kind the Service asks for, or has to keep.
func wantedKind(spec cloud.Spec) string {
	if pinned := spec.Preserved[fieldType]; pinned != "" {
		return pinned
	}
	if option.Type.In(spec.Options) == option.TypeNetwork {
		return kindNetwork
	}
	return kindClassic
}

// bulkList is all balancers of the VPC and what surrounds them.
type bulkList struct {
	area    *vpc.Inventory
	classic []classicBalancer
	network []networkBalancer
	groups  []targetGroup // with tags where no listener leads to them
}

// ListBalancers implements cloud.BulkLister.
func (d *Driver) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	a, err := d.vpc.Read(ctx)
	if err != nil {
		return nil, err
	}
	s := &bulkList{area: a}
	if s.classic, err = d.listClassic(ctx); err != nil {
		return nil, err
	}
	if s.network, err = d.listNetwork(ctx); err != nil {
		return nil, err
	}
	s.groups, err = d.listTargetGroups(ctx)
	return s, err
}

// Observe implements cloud.Balancers. It looks for the kind that is wanted first: the other one
// only matters when there is none, or when there was a change of kind.
func (d *Driver) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	v, _ := spec.BulkList.(*bulkList)
	s := &snapshot{}
	var err error
	if v != nil {
		s.area = v.area
	} else if s.area, err = d.vpc.Read(ctx); err != nil {
		return cloud.Observed{}, err
	}
	if s.area, err = d.vpc.With(ctx, s.area, spec); err != nil {
		return cloud.Observed{}, err
	}
	byName, err := d.find(ctx, s, v, spec)
	if err != nil {
		return cloud.Observed{}, err
	}
	if !spec.Deleting {
		if s.area, err = d.vpc.WithNamed(ctx, s.area, s.namedNew(spec)); err != nil {
			return cloud.Observed{}, err
		}
	}
	var o cloud.Observed
	switch {
	case s.classic != nil:
		o, err = d.observeClassic(ctx, s, spec)
	case s.network != nil:
		o, err = d.observeNetwork(ctx, s, v, spec)
	default:
		return d.absent(ctx, s, v, spec)
	}
	o.ByName = byName && o.Owner.UID != spec.Ref.Owner.UID
	return o, err
}

// lookups returns what Normalize needs to know of the surroundings.
func (d *Driver) lookups(s *snapshot, spec cloud.Spec) map[string]string {
	facts := map[string]string{}
	scope, present := cloud.ScopeOf(option.Internal.In(spec.Options) == "true"), []string(nil)
	switch {
	case s.classic != nil:
		scope, present = s.classic.scope(), s.classic.Subnets
	case s.network != nil:
		scope, present = s.network.scope(), s.network.subnets()
		facts[lookupAddresses] = placesText(s.network.subnets(), s.network.addressOf)
		facts[lookupGroups] = cmp.Or(d.groupsText(s, spec), groupless)
		facts[lookupTaken] = strconv.FormatBool(tag.Marks.Owner(s.network.tags).UID == "")
		facts[lookupHeld], facts[lookupListeners] = s.network.tags[tag.Held], s.network.listenersText()
		facts[lookupStack] = strconv.FormatBool(s.network.dualStack())
	}
	if s.present() != "" {
		facts[lookupName] = s.present()
	}
	ids, err := d.vpc.Choose(s.area, spec, scope, present)
	if problem, ok := errors.AsType[*cloud.Invalid](err); ok {
		facts[lookupSubnetProblem] = problem.Want
	}
	facts[lookupSubnets] = strings.Join(ids, ",")
	facts[lookupGroupProblem] = d.groups.Problem(s.area, s.namedNew(spec), spec.Ref.Owner, s.name(spec))
	if !d.config.Balancer.LeaveNodeGroups {
		facts[lookupShut] = strings.Join(d.groups.ShutNodes(s.area, spec.Candidates), ", ")
	}
	if _, v6 := s.area.Ranges(ids); len(v6) >= len(ids) && len(ids) > 0 {
		facts[lookupIPv6] = "true"
	}
	return facts
}

// subnetsOf returns the subnets of the lookups.
func subnetsOf(spec cloud.Spec) ([]string, error) {
	if problem := spec.Lookups[lookupSubnetProblem]; problem != "" {
		return nil, &cloud.Invalid{Field: option.Subnets.Name, Value: option.Subnets.In(spec.Options), Want: problem}
	}
	if spec.Lookups[lookupSubnets] == "" {
		return nil, nil
	}
	return strings.Split(spec.Lookups[lookupSubnets], ","), nil
}

// Normalize implements cloud.Balancers.
func (d *Driver) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	if err := checkReach(spec, d.config.Cluster.VPC); err != nil {
		return cloud.Balancer{}, nil, err
	}
	if spec.LoadBalancerIP != "" {
		return cloud.Balancer{}, nil, &cloud.Invalid{
			Field: "spec.loadBalancerIP", Value: spec.LoadBalancerIP,
			Want: "AWS gives the address; network balancers take " + option.Addresses.Name + " and " + option.PrivateAddresses.Name,
		}
	}
	normalize := d.normalizeClassic
	if wantedKind(spec) == kindNetwork {
		normalize = d.normalizeNetwork
	}
	b, notes, err := normalize(spec)
	return b, append(notes, usageWarnings(spec)...), err
}

// Eligible implements cloud.Balancers.
//
//	in the VPC  cluster's tag  Fargate  registered as  can be a target
//	no          –              –        –              no
//	yes         no             no       –              no: upstream does not use it either
//	yes         –              yes      instance       no: it is none
//	yes         –              yes      ip             yes
//	yes         yes            no       –              yes
func (d *Driver) Eligible(b cloud.Balancer, t cloud.Target) string {
	fargate := t.Attributes[instance.AttributeFargate] == "true"
	switch {
	case t.Attributes[instance.AttributeVPC] != d.config.Cluster.VPC:
		return fmt.Sprintf("it is in VPC %q and the balancer in %s", t.Attributes[instance.AttributeVPC], d.config.Cluster.VPC)
	case fargate && !registersAddresses(b):
		return "it is no instance; " + option.TargetType.Name + ": " + option.TargetIP + " would do"
	case !fargate && t.Attributes[instance.AttributeTagged] != "true":
		return "it has no tag " + tag.ClusterPrefix + d.config.Cluster.ID
	}
	return ""
}

// Apply implements cloud.Balancers.
func (d *Driver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	s, ok := change.Before.Native.(*snapshot)
	if !ok {
		return cloud.Progress{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	}
	if change.After == nil {
		return d.delete(ctx, s, change)
	}
	switch network := change.After.ProviderFields[fieldType] == kindNetwork; {
	case s.classic != nil:
		return d.updateClassic(ctx, s, change)
	case s.network != nil:
		return d.updateNetwork(ctx, s, change)
	case network:
		return d.createNetwork(ctx, s, change)
	default:
		return d.createClassic(ctx, s, change)
	}
}
