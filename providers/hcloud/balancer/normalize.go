package balancer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// Fields that only this cloud has.
const (
	fieldLocation       = "location"
	fieldNetworkZone    = "networkZone"
	fieldPrivateTargets = "privateTargets"
	fieldMaxTargets     = "maxTargets"
	fieldRedirect       = "redirectHTTP"
)

// Immutable are the fields that the API cannot change.
var Immutable = []string{fieldLocation, fieldNetworkZone, cloud.FieldSubnet}

const (
	defaultType = "lb11"
	mixed       = "mixed"
)

// request is what one Service asks for, while it is read.
type request struct {
	cloud.Spec
	errs     []error
	warnings []cloud.Warning
}

func (r *request) refuse(key annotation.Key, want string) {
	r.errs = append(r.errs, &cloud.Invalid{Field: key.Name, Value: key.In(r.Options), Want: want})
}

func (r *request) warn(field, message string) {
	r.warnings = append(r.warnings, cloud.Warning{Field: field, Message: message})
}

// present is a field as it is, "" where there is no load balancer.
func (r *request) present(field string) string { return r.Lookups[lookupField+field] }

// Normalize implements cloud.BalancerReader.
func (b *Balancers) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	r := &request{Spec: spec}
	adopted := spec.Lookups[lookupAdopted] == yes
	v := cloud.Balancer{
		Name: nameOf(spec), Scope: cloud.ScopeOf(internal.Bool(r.Options)),
		ProviderFields: map[string]string{
			cloud.FieldSize:      cmp.Or(size.In(r.Options), r.present(cloud.FieldSize), defaultType),
			cloud.FieldAlgorithm: algorithm.In(r.Options), fieldPrivateTargets: strconv.FormatBool(wantsPrivate(spec)),
			cloud.FieldAddress: cmp.Or(address.In(r.Options), r.present(cloud.FieldAddress)), cloud.FieldSubnet: subnet.In(r.Options),
			fieldMaxTargets: spec.Lookups[lookupTargets],
		},
	}
	kept := r.keep(&v)
	labels := labelsOf(spec.Ref.Owner, adopted && spec.Ref.Owner.UID != "")
	if !adopted && len(kept) > 0 && len(labels) > 0 {
		labels[labelKept] = strings.Join(kept, "_")
	}
	v.OwnershipTags = tagsOf(labels)
	r.place(v.ProviderFields)
	r.checkType()
	r.checkNetwork(b.Network)
	r.listeners(&v)
	r.notes(v)
	v.Preserve(spec.Preserved)
	if err := errors.Join(r.errs...); err != nil {
		return cloud.Balancer{}, nil, err
	}
	return v, r.warnings, nil
}

// keep leaves alone what the Service says nothing of and we never set, as upstream does, and returns what that is: a
// public interface that is off, and an algorithm; of a load balancer that was taken over by its name also those that are
// like the default, and the name.
func (r *request) keep(v *cloud.Balancer) []string {
	kept := map[string]string{}
	for field, key := range map[string]annotation.Key{cloud.FieldScope: internal, cloud.FieldAlgorithm: algorithm, cloud.FieldName: name} {
		if slices.Contains(strings.Split(r.Lookups[lookupKept], "_"), field) && !key.Has(r.Options) {
			kept[field] = r.present(field)
		}
	}
	v.Preserve(kept)
	return slices.Sorted(maps.Keys(kept))
}

// place chooses where the load balancer is: a location, else a zone, else where it is now.
func (r *request) place(fields map[string]string) {
	at, zone := location.In(r.Options), networkZone.In(r.Options)
	presentAt, presentZone := r.present(fieldLocation), r.present(fieldNetworkZone)
	switch {
	case at == "" && zone == "" && presentAt == "" && r.Preserved[fieldLocation] == "":
		r.refuse(location, "want a location such as fsn1, or "+networkZone.Name+" with a zone such as eu-central")
	case at != "":
		zone = presentZone
	case zone == "" || zone == presentZone:
		at, zone = presentAt, presentZone
	}
	fields[fieldLocation], fields[fieldNetworkZone] = at, zone
}

func (r *request) checkType() {
	if r.Lookups[lookupTargets] == "" {
		if types := r.Lookups[lookupTypes]; types != "" {
			r.refuse(size, "want one of "+types)
		}
		return
	}
	if after := r.Lookups[lookupDeprecated]; after != "" {
		r.warn(size.Name, "the type is deprecated, and there is none after "+after)
		if r.Lookups[lookupGone] == yes {
			r.refuse(size, "there is no such type after "+after)
		}
	}
	r.atMost("spec.ports", len(r.Ports), lookupServices, "services")
}

// atMost refuses more of something than the type can have.
func (r *request) atMost(field string, count int, limit, what string) {
	if most := number(r.Lookups[limit]); most > 0 && count > most {
		r.errs = append(r.errs, &cloud.Invalid{
			Field: field, Value: strconv.Itoa(count), Want: fmt.Sprintf("a load balancer of this type has at most %d %s", most, what),
		})
	}
}

func (r *request) checkNetwork(network int64) {
	const want = "want " + config.EnvNetwork + " to be set, which has the private addresses"
	for _, key := range []annotation.Key{address, subnet, internal, usePrivateIP} {
		if network == 0 && key.Has(r.Options) && key.In(r.Options) != "false" {
			r.refuse(key, want)
		}
	}
	if internal.Bool(r.Options) && usePrivateIP.Has(r.Options) && !usePrivateIP.Bool(r.Options) {
		r.refuse(usePrivateIP, "want true: without a public interface only private addresses are reached")
	}
}

func (r *request) notes(v cloud.Balancer) {
	for _, t := range r.Candidates {
		if ip := reachedAt(v, t, wantsPrivate(r.Spec)); wantsPrivate(r.Spec) && ip != addressOf(t, true) {
			r.warn(usePrivateIP.Name, "node "+t.NodeName+" has no private address, and is reached at "+ip)
		}
	}
	if r.ClientIP {
		r.warn("spec.sessionAffinity", "this cloud does not know clients by their address; a cookie keeps them with a node, on ports that speak HTTP")
	}
	if r.LoadBalancerIP != "" {
		r.warn("spec.loadBalancerIP", "this cloud chooses public addresses; a private one is chosen with "+address.Name)
	}
	r.warnings = append(r.warnings, annotation.UnknownPorts(r.Spec, protocol, proxyProtocol, certificate)...)
}

// subnetOf is the subnet that is asked for where the address is in it, and else the address.
func subnetOf(spec cloud.Spec, ip net.IP) string {
	wanted := subnet.In(spec.Options)
	prefix, err := netip.ParsePrefix(wanted)
	if at, ok := netip.AddrFromSlice(ip.To4()); err == nil && ok && !prefix.Contains(at) {
		return at.String()
	}
	return wanted
}
