package balancer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

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

// Places is PlacesText the other way round: the address in each subnet, "" where AWS chose.
func Places(text string) map[string]string {
	places := map[string]string{}
	for _, place := range List(text) {
		id, address, _ := strings.Cut(place, "=")
		places[id] = address
	}
	return places
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

// Name returns the name the balancer shall have. One that was taken over keeps its own.
func Name(spec cloud.Spec) string {
	return cmp.Or(option.Name.In(spec.Options), spec.Lookups[LookupName], cloud.UIDName(spec.Ref.Owner.UID))
}

// Kind returns the kind the Service asks for, or has to keep.
func Kind(spec cloud.Spec) string {
	if pinned := spec.Preserved[FieldType]; pinned != "" {
		return pinned
	}
	if option.Type.In(spec.Options) == option.TypeNetwork {
		return KindNetwork
	}
	return KindClassic
}

// Subnets returns the subnets of the lookups.
func Subnets(spec cloud.Spec) ([]string, error) {
	if problem := spec.Lookups[LookupSubnetProblem]; problem != "" {
		return nil, &cloud.Invalid{Field: option.Subnets.Name, Value: option.Subnets.In(spec.Options), Want: problem}
	}
	return List(spec.Lookups[LookupSubnets]), nil
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

// KindOf returns the kind of balancer that an id is of: network ones have ARNs.
func KindOf(id string) string {
	if strings.HasPrefix(id, "arn:") {
		return KindNetwork
	}
	return KindClassic
}

// Missing returns the items of list that other does not have.
func Missing[T comparable](list, other []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return slices.Contains(other, item) })
}
