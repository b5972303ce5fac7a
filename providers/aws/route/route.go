// Package route writes the routes to pods into the route tables of the VPC.
package route

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Every pod route is in each of the tables of routeTables, with the same target. A route of EC2
// has neither name nor tag, so whose it is shows in where it leads (Capabilities.RoutesUntagged).

// ListRoutes implements cloud.Routes with one request for a hundred tables: all routes to
// instances, and those whose network interface is gone. Name is what the route leads to.
func (t *Tables) ListRoutes(ctx context.Context, _ cloud.Owner) ([]cloud.Route, error) {
	tables, err := t.routeTables(ctx)
	if err != nil {
		return nil, err
	}
	type identity struct {
		destination netip.Prefix
		name        string
	}
	var routes []cloud.Route
	at, in := map[identity]int{}, map[identity]int{}
	for _, table := range tables {
		for _, route := range table.Routes {
			e := entry{route}
			destination, ok := e.destination()
			if !ok || !e.concerns() {
				continue
			}
			id := identity{destination, e.name()}
			if in[id] == 0 {
				at[id] = len(routes)
				routes = append(routes, cloud.Route{Name: e.name(), Destination: destination, Target: e.target()})
			}
			in[id]++
			routes[at[id]].Blackhole = routes[at[id]].Blackhole || e.blackhole()
		}
	}
	for id, n := range in {
		routes[at[id]].Partial = n < len(tables)
	}
	return routes, nil
}

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
	var writes []func() error
	for _, table := range tables {
		present, found := find(table, route.Destination)
		ours := present.concerns() && (present.blackhole() || t.Cluster.Has(tag.Of(instances[present.name()].Tags)))
		switch {
		case !found || present.target() != route.Target && ours:
			writes = append(writes, func() error { return t.lead(ctx, table, route, target, found) })
		case present.target() != route.Target:
			return refused(cloud.FailureConflict, "%s already leads to %s in route table %s, which is none of the cluster's instances: remove that route, or give the cluster other pod networks",
				route.Destination, present.describe(), aws.ToString(table.RouteTableId))
		}
	}
	if err := t.forward(ctx, target); err != nil {
		return err
	}
	for _, write := range writes {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
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

// DeleteRoute implements cloud.Routes: it deletes the route from every table where it still
// leads to where it did when it was listed.
func (t *Tables) DeleteRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	tables, err := t.routeTables(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		present, found := find(table, route.Destination)
		if !found || !present.concerns() || present.name() != route.Name {
			continue
		}
		v4, v6 := destinations(route.Destination)
		_, err := t.Client.DeleteRoute(ctx, &ec2.DeleteRouteInput{
			RouteTableId: table.RouteTableId, DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6,
		})
		if err != nil && !failure.Is(err, "InvalidRoute.NotFound") {
			return fmt.Errorf("deleting route %s from table %s: %w", route.Destination, aws.ToString(table.RouteTableId), err)
		}
	}
	return nil
}

// lead makes the route of a table to a destination, or leads it elsewhere.
func (t *Tables) lead(ctx context.Context, table ec2types.RouteTable, route cloud.Route, target ec2types.Instance, present bool) error {
	v4, v6 := destinations(route.Destination)
	instance, networkInterface := hop(target)
	doing := "creating"
	var err error
	if present {
		doing = "replacing"
		_, err = t.Client.ReplaceRoute(ctx, &ec2.ReplaceRouteInput{
			RouteTableId: table.RouteTableId, DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6, InstanceId: instance, NetworkInterfaceId: networkInterface,
		})
	} else {
		_, err = t.Client.CreateRoute(ctx, &ec2.CreateRouteInput{
			RouteTableId: table.RouteTableId, DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6, InstanceId: instance, NetworkInterfaceId: networkInterface,
		})
	}
	return failure.Wrap(err, fmt.Sprintf("%s route %s in table %s", doing, route.Destination, aws.ToString(table.RouteTableId)))
}

// destinations are the two parameters of a destination, of which one is set.
func destinations(destination netip.Prefix) (v4, v6 *string) {
	text := destination.String()
	if destination.Addr().Is4() {
		return &text, nil
	}
	return nil, &text
}

// hop is where a route to an instance goes: to its first network interface, which has to be named
// where there are several.
func hop(target ec2types.Instance) (id, networkInterface *string) {
	if interfaces := instance.InUse(target.NetworkInterfaces); len(interfaces) > 1 {
		return nil, interfaces[0].NetworkInterfaceId
	}
	return target.InstanceId, nil
}

// forward switches the check off that drops what is neither from nor to an instance itself.
func (t *Tables) forward(ctx context.Context, target ec2types.Instance) error {
	off := &ec2types.AttributeBooleanValue{Value: aws.Bool(false)}
	interfaces := instance.InUse(target.NetworkInterfaces)
	checks := target.SourceDestCheck
	if len(interfaces) > 0 && interfaces[0].SourceDestCheck != nil {
		checks = interfaces[0].SourceDestCheck
	}
	if checks != nil && !*checks {
		return nil
	}
	var err error
	if len(interfaces) > 1 {
		_, err = t.Client.ModifyNetworkInterfaceAttribute(ctx, &ec2.ModifyNetworkInterfaceAttributeInput{
			NetworkInterfaceId: interfaces[0].NetworkInterfaceId, SourceDestCheck: off,
		})
	} else {
		_, err = t.Client.ModifyInstanceAttribute(ctx, &ec2.ModifyInstanceAttributeInput{InstanceId: target.InstanceId, SourceDestCheck: off})
	}
	return failure.Wrap(err, fmt.Sprintf("letting instance %s forward what is not for itself", aws.ToString(target.InstanceId)))
}

// describe names the target of a route for people.
func (e entry) describe() string {
	for _, target := range []*string{
		e.InstanceId, e.NetworkInterfaceId, e.GatewayId, e.NatGatewayId, e.TransitGatewayId, e.VpcPeeringConnectionId,
		e.EgressOnlyInternetGatewayId, e.CarrierGatewayId, e.LocalGatewayId,
	} {
		if aws.ToString(target) != "" {
			return *target
		}
	}
	return "something else"
}
