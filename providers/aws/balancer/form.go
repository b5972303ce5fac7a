package balancer

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Written is a kind of resources that are there with what they belong to, which a field names, and whose
// fields one request writes.
func Written(kind, belongs string, write func(ctx context.Context, wanted cloud.Resource, fields []string) error) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kind,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			fields := slices.DeleteFunc(slices.Sorted(maps.Keys(wanted.Fields)), func(f string) bool { return f == belongs })
			return wanted.Key, write(ctx, wanted, fields)
		},
		Update: func(ctx context.Context, _, wanted cloud.Resource, fields []string) error {
			return write(ctx, wanted, fields)
		},
	}
}

// Text returns a field of a resource.
func Text(r cloud.Resource, field string) *string {
	value, _ := r.Fields[field].(string)
	return &value
}

// At returns what a balancer with that host name is reached at.
func At(host *string) []cloud.BalancerAddress {
	if aws.ToString(host) == "" {
		return nil
	}
	return []cloud.BalancerAddress{{Hostname: *host}}
}

// List returns the items of a list with commas.
func List(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// Joined returns the items with commas.
func Joined(items []string) string {
	items = slices.Clone(items)
	slices.Sort(items)
	return strings.Join(items, ",")
}

// Places is PlacesText the other way round: the address in each subnet, "" where AWS chose.
func Places(text string) map[string]string {
	places := map[string]string{}
	for _, place := range List(text) {
		id, address, _ := strings.Cut(place, "=")
		places[id] = address
	}
	return places
}

// PlacesText returns subnets with their addresses as in FieldSubnets.
func PlacesText(subnets []string, addressOf func(string) string) string {
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

// GroupsText returns security groups as in FieldGroups. Own is the id of the balancer's own one.
func GroupsText(ids []string, own string) string {
	ids = slices.Clone(ids)
	for i, id := range ids {
		if id == own {
			ids[i] = OwnGroup
		}
	}
	return Joined(ids)
}

// Missing returns the items of list that other does not have.
func Missing[T comparable](list, other []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return slices.Contains(other, item) })
}

// Pick returns a copy of the first item that fits, nil when none does.
func Pick[T any](list []T, fits func(*T) bool) *T {
	for i := range list {
		if fits(&list[i]) {
			found := list[i]
			return &found
		}
	}
	return nil
}
