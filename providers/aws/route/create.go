package route

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// CreateRoute implements cloud.Routes. What it does in a table depends on the route that is
// there for the destination:
//
//	leads to                                            then
//	– (there is none)                                   it is created
//	the wanted instance                                 nothing
//	nothing any more, but once to something of Nodes'   it is replaced
//	another instance with the cluster's tag             it is replaced
//	anything else                                       refused: it is not ours
//
// Before that the instance is told to forward what is not for itself, unless it does already.
// Where AWS refuses a table for good, the routes that were created in others are deleted. What was replaced stays: it led to another
// machine, or to none. The instance goes on to forward: whether another route leads to it, EC2 may not show yet.
func (t *Tables) CreateRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	tables, err := t.routeTables(ctx)
	if err != nil {
		return err
	}
	instances, err := t.routers(ctx, tables, route)
	if err != nil {
		return err
	}
	target, exists := instances[string(route.Target)]
	if !exists {
		return refused(cloud.FailureNotFound, "instance %s, the target of %s, does not exist", route.Target, route.Destination)
	}
	gaps, err := t.missing(tables, instances, route)
	if err != nil {
		return err
	}
	if checks(target) {
		if err := t.uncheck(ctx, target); err != nil {
			return fmt.Errorf("letting instance %s forward what is not for itself: %w", route.Target, err)
		}
	}
	made, err := t.fill(ctx, gaps, route, target)
	if err == nil || !failure.Classify(err).Class.Final() {
		return err
	}
	return errors.Join(err, t.takeBack(ctx, made, route))
}

// fill makes the route in tables, until one is refused, and returns those it made.
func (t *Tables) fill(ctx context.Context, gaps []gap, route cloud.Route, target ec2types.Instance) (made []gap, err error) {
	for n, to := range gaps {
		if err := t.lead(ctx, to, route, target); err != nil {
			return gaps[:n], err
		}
	}
	return gaps, nil
}

// takeBack deletes the routes that were created.
func (t *Tables) takeBack(ctx context.Context, made []gap, route cloud.Route) (err error) {
	for _, one := range made {
		if !one.present {
			err = errors.Join(err, t.remove(ctx, one.table, route.Destination))
		}
	}
	return err
}

// gap is a table without the wanted route; present says that it has another one to the destination, which is replaced.
type gap struct {
	table   ec2types.RouteTable
	present bool
}

// missing are the tables without a route. One that is somebody else's is an error.
func (t *Tables) missing(tables []ec2types.RouteTable, instances map[string]ec2types.Instance, route cloud.Route) (gaps []gap, err error) {
	for _, table := range tables {
		present, found := find(table, route.Destination)
		ours := present.concerns() && (present.blackhole() || t.Cluster.Has(tag.Of(instances[present.name()].Tags)))
		switch {
		case !found || present.target() != route.Target && ours:
			gaps = append(gaps, gap{table, found})
		case present.target() != route.Target:
			return nil, refused(cloud.FailureConflict, "%s already leads to %s in route table %s, which is none of the cluster's instances: remove that route, or give the cluster other pod networks",
				route.Destination, present.describe(), aws.ToString(table.RouteTableId))
		}
	}
	return gaps, nil
}

// routers reads the target of a route and the instances its destination leads to now, by id.
func (t *Tables) routers(ctx context.Context, tables []ec2types.RouteTable, route cloud.Route) (map[string]ec2types.Instance, error) {
	ids := []string{string(route.Target)}
	for _, table := range tables {
		if present, found := find(table, route.Destination); found && present.target() != "" {
			ids = append(ids, string(present.target()))
		}
	}
	slices.Sort(ids)
	found, err := t.Instances.Read(ctx, slices.Compact(ids))
	if err != nil {
		return nil, fmt.Errorf("reading the targets of route %s: %w", route.Destination, err)
	}
	instances := make(map[string]ec2types.Instance, len(found))
	for _, instance := range found {
		instances[aws.ToString(instance.InstanceId)] = instance
	}
	return instances, nil
}

// lead makes the route of a table to a destination, or leads it elsewhere.
func (t *Tables) lead(ctx context.Context, to gap, route cloud.Route, target ec2types.Instance) error {
	v4, v6 := destinations(route.Destination)
	id, networkInterface := hop(target)
	doing := "creating"
	var err error
	if to.present {
		doing = "replacing"
		_, err = t.Client.ReplaceRoute(ctx, &ec2.ReplaceRouteInput{
			RouteTableId: to.table.RouteTableId, DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6, InstanceId: id, NetworkInterfaceId: networkInterface,
		})
	} else {
		_, err = t.Client.CreateRoute(ctx, &ec2.CreateRouteInput{
			RouteTableId: to.table.RouteTableId, DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6, InstanceId: id, NetworkInterfaceId: networkInterface,
		})
	}
	return failure.Wrap(err, fmt.Sprintf("%s route %s in table %s", doing, route.Destination, aws.ToString(to.table.RouteTableId)))
}

// checks reports whether an instance drops what is neither from nor to itself.
func checks(target ec2types.Instance) bool {
	check := target.SourceDestCheck
	if interfaces := instance.InUse(target.NetworkInterfaces); len(interfaces) > 0 && interfaces[0].SourceDestCheck != nil {
		check = interfaces[0].SourceDestCheck
	}
	return check == nil || *check
}

// uncheck switches that off.
func (t *Tables) uncheck(ctx context.Context, target ec2types.Instance) (err error) {
	value := &ec2types.AttributeBooleanValue{Value: new(false)}
	if _, networkInterface := hop(target); networkInterface != nil {
		_, err = t.Client.ModifyNetworkInterfaceAttribute(ctx, &ec2.ModifyNetworkInterfaceAttributeInput{NetworkInterfaceId: networkInterface, SourceDestCheck: value})
	} else {
		_, err = t.Client.ModifyInstanceAttribute(ctx, &ec2.ModifyInstanceAttributeInput{InstanceId: target.InstanceId, SourceDestCheck: value})
	}
	return err
}
