package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Check implements cloud.Checker:
//
//	name               is taken by another load balancer, of any type
//	Elastic IPs        exist and are free
//	private addresses  are in their subnets
//
// Subnets and security groups are checked by Normalize. Whether a certificate exists, and a quota is
// used up, only the creation tells.
func (d *Driver) Check(ctx context.Context, spec cloud.Spec, before cloud.Observed) error {
	spec.Lookups = maps.Clone(spec.Lookups)
	for _, fact := range lookupsOfBalancer {
		delete(spec.Lookups, fact)
	}
	wanted, _, err := d.Normalize(spec)
	if err != nil {
		return err
	}
	if !before.Found || before.Balancer.Name != wanted.Name {
		if err := d.checkName(ctx, spec, wanted.Name); err != nil {
			return err
		}
	}
	if wanted.ProviderFields[fieldType] != kindNetwork {
		return nil
	}
	s, _ := before.Native.(*snapshot)
	if s == nil {
		s = &snapshot{}
	}
	return errors.Join(d.checkAddresses(ctx, s, wanted), s.checkPrivate(wanted))
}

// checkName refuses the name of a balancer there is: AWS has each once for classic balancers, and once
// for all others.
func (d *Driver) checkName(ctx context.Context, spec cloud.Spec, name string) error {
	taken := &cloud.Invalid{Field: option.Name.Name, Value: name, Want: "a load balancer of this name is there: choose another"}
	if wantedKind(spec) == kindClassic {
		found, err := d.findClassic(ctx, name)
		if err == nil && found != nil {
			return taken
		}
		return err
	}
	answer, err := d.Network.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{Names: []string{name}})
	if err == nil && len(answer.LoadBalancers) > 0 {
		return taken
	}
	return failure.Wrap(failure.Ignore(err, codeNoBalancer), "looking for a load balancer of the name "+name)
}

// checkAddresses refuses Elastic IPs that do not exist, or are in use by anything but the balancer
// that goes.
func (d *Driver) checkAddresses(ctx context.Context, s *snapshot, wanted cloud.Balancer) error {
	var ids []string
	for _, m := range subnetMappings(wanted) {
		if id := awssdk.ToString(m.AllocationId); id != "" && (s.network == nil || s.network.addressOf(awssdk.ToString(m.SubnetId)) != id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	answer, err := d.Compute.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{Filters: []ec2types.Filter{filter.By("allocation-id", ids...)}})
	if err != nil {
		return fmt.Errorf("reading the Elastic IPs: %w", err)
	}
	for _, address := range answer.Addresses {
		if id := awssdk.ToString(address.AllocationId); address.AssociationId == nil || s.has(id) {
			ids = slices.DeleteFunc(ids, func(other string) bool { return other == id })
		}
	}
	if len(ids) > 0 {
		return &cloud.Invalid{Field: option.Addresses.Name, Value: ids[0], Want: "want allocation ids of Elastic IPs that are free"}
	}
	return nil
}

// has reports whether the balancer there is has the Elastic IP, in whatever subnet.
func (s *snapshot) has(allocation string) bool {
	return s.network != nil && slices.ContainsFunc(s.network.subnets(), func(id string) bool { return s.network.addressOf(id) == allocation })
}

// checkPrivate refuses private addresses outside their subnets.
func (s *snapshot) checkPrivate(wanted cloud.Balancer) error {
	for _, m := range subnetMappings(wanted) {
		address, err := netip.ParseAddr(awssdk.ToString(m.PrivateIPv4Address))
		if m.PrivateIPv4Address == nil || s.area == nil {
			continue
		}
		subnet, _ := s.area.Subnet(awssdk.ToString(m.SubnetId))
		network, none := netip.ParsePrefix(awssdk.ToString(subnet.CidrBlock))
		if err != nil || none == nil && !network.Contains(address) {
			return &cloud.Invalid{
				Field: option.PrivateAddresses.Name, Value: *m.PrivateIPv4Address,
				Want: fmt.Sprintf("want an address of subnet %s, which is %s", *m.SubnetId, awssdk.ToString(subnet.CidrBlock)),
			}
		}
	}
	return nil
}
