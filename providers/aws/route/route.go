// Package route writes the routes to pods into the route tables of the VPC.
package route

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
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
		if err := t.remove(ctx, table, route.Destination); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the route of a table to a destination.
func (t *Tables) remove(ctx context.Context, table ec2types.RouteTable, destination netip.Prefix) error {
	v4, v6 := destinations(destination)
	_, err := t.Client.DeleteRoute(ctx, &ec2.DeleteRouteInput{RouteTableId: table.RouteTableId, DestinationCidrBlock: v4, DestinationIpv6CidrBlock: v6})
	if failure.Is(err, "InvalidRoute.NotFound") {
		return nil
	}
	return failure.Wrap(err, fmt.Sprintf("deleting route %s from table %s", destination, aws.ToString(table.RouteTableId)))
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
