package desired

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// Fields that only this cloud has.
const (
	FieldLocation       = "location"
	FieldNetworkZone    = "networkZone"
	FieldPrivateTargets = "privateTargets"
	FieldMaxTargets     = "maxTargets"
	// FieldNetwork is the id of the network that it is in, managed where the configuration has one.
	FieldNetwork  = "network"
	FieldRedirect = "redirectHTTP"
)

// Immutable are the fields that the API cannot change.
var Immutable = []string{FieldLocation, FieldNetworkZone, cloud.FieldSubnet}

const (
	defaultType = "lb11"
	// Mixed is FieldPrivateTargets where some targets are reached by their private address, and others are not.
	Mixed = "mixed"
)

// request is what one Service asks for, while it is read.
type request struct {
	cloud.Input
	found    Findings
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
func (r *request) present(field string) string { return r.found.Present[field] }

// Normalize implements cloud.BalancerReader.
func (c Configuration) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	r := &request{Input: in, found: Found.Open(in.Findings)}
	v := cloud.Balancer{
		Name: NameOf(in.Spec), Scope: cloud.ScopeOf(internal.Bool(r.Options)),
		ProviderFields: map[string]string{
			cloud.FieldSize:      SizeOf(in.Spec, r.present(cloud.FieldSize)),
			cloud.FieldAlgorithm: Algorithm.In(r.Options), FieldPrivateTargets: strconv.FormatBool(WantsPrivate(in.Spec)),
			cloud.FieldAddress: cmp.Or(Address.In(r.Options), r.present(cloud.FieldAddress)), cloud.FieldSubnet: Subnet.In(r.Options),
			FieldMaxTargets: "",
		},
	}
	if r.found.Limits != nil {
		v.ProviderFields[FieldMaxTargets] = strconv.Itoa(r.found.Limits.Targets)
	}
	kept := r.keep(&v)
	labels := label.Of(in.Owner, r.found.Adopted && in.Owner.UID != "")
	if !r.found.Adopted && len(kept) > 0 && len(labels) > 0 {
		labels[label.Kept] = label.Join(kept)
	}
	v.OwnershipTags = label.Tags(labels)
	r.place(v.ProviderFields)
	r.checkType()
	r.checkNetwork(c.Network)
	r.network(c.Network, &v)
	r.listeners(&v)
	r.notes(v)
	v.Preserve(in.Preserved)
	if err := errors.Join(r.errs...); err != nil {
		return cloud.Balancer{}, nil, err
	}
	return v, r.warnings, nil
}

// Validate implements cloud.Validator.
func (c Configuration) Validate(spec cloud.Spec, _ bool) error {
	r := &request{Input: cloud.Input{Spec: spec}}
	r.checkNetwork(c.Network)
	if _, err := annotation.OwnCheck(spec); err != nil {
		r.errs = append(r.errs, err)
	}
	for _, port := range spec.Ports {
		if r.protocolOf(port.Port) == cloud.ProtocolHTTPS {
			r.needCertificate(port.Port)
		}
	}
	return errors.Join(r.errs...)
}

// keep leaves alone what the Service says nothing of and we never set, as upstream does, and returns what that is: a
// public interface that is off, and an algorithm; of a load balancer that was taken over by its name also those that are
// like the default, and the name.
func (r *request) keep(v *cloud.Balancer) []string {
	kept := map[string]string{}
	for field, key := range map[string]annotation.Key{cloud.FieldScope: internal, cloud.FieldAlgorithm: Algorithm, cloud.FieldName: Name} {
		if slices.Contains(r.found.Kept, field) && !key.Has(r.Options) {
			kept[field] = r.present(field)
		}
	}
	v.Preserve(kept)
	return slices.Sorted(maps.Keys(kept))
}

// place chooses where the load balancer is: a location, else a zone, else where it is now.
func (r *request) place(fields map[string]string) {
	at, zone := location.In(r.Options), networkZone.In(r.Options)
	presentAt, presentZone := r.present(FieldLocation), r.present(FieldNetworkZone)
	switch {
	case at == "" && zone == "" && presentAt == "" && r.Preserved[FieldLocation] == "":
		r.refuse(location, "want a location such as fsn1, or "+networkZone.Name+" with a zone such as eu-central")
	case at != "":
		zone = presentZone
	case zone == "" || zone == presentZone:
		at, zone = presentAt, presentZone
	}
	fields[FieldLocation], fields[FieldNetworkZone] = at, zone
}

func (r *request) checkType() {
	if r.found.Limits == nil {
		if len(r.found.Types) > 0 {
			r.refuse(size, "want one of "+strings.Join(r.found.Types, ", "))
		}
		return
	}
	if !r.found.Deprecated.IsZero() {
		after := r.found.Deprecated.UTC().Format(time.DateOnly)
		r.warn(size.Name, "the type is deprecated, and there is none after "+after)
		if r.found.Gone {
			r.refuse(size, "there is no such type after "+after)
		}
	}
	r.atMost("spec.ports", len(r.Ports), r.found.Limits.Services, "services")
}

// atMost refuses more of something than the type can have, where that is known.
func (r *request) atMost(field string, count, most int, what string) {
	if most > 0 && count > most {
		r.errs = append(r.errs, &cloud.Invalid{
			Field: field, Value: strconv.Itoa(count), Want: fmt.Sprintf("want at most %d: a load balancer of type %s has no more %s, see %s",
				most, SizeOf(r.Spec, r.present(cloud.FieldSize)), what, size.Name),
		})
	}
}

func (r *request) checkNetwork(network int64) {
	const want = "want " + config.EnvNetwork + " to be set, which has the private addresses"
	for _, key := range []annotation.Key{Address, Subnet, internal, usePrivateIP} {
		if network == 0 && key.Has(r.Options) && key.In(r.Options) != "false" {
			r.refuse(key, want)
		}
	}
	if internal.Bool(r.Options) && usePrivateIP.Has(r.Options) && !usePrivateIP.Bool(r.Options) {
		r.refuse(usePrivateIP, "want true: without a public interface only private addresses are reached")
	}
}

// network puts it into the network of the configuration. One that was there before the Service stays in the network that somebody
// has put it into: it cannot be in two. It can serve there as long as no private address is needed.
func (r *request) network(id int64, v *cloud.Balancer) {
	if id == 0 {
		return
	}
	v.ProviderFields[FieldNetwork] = strconv.FormatInt(id, 10)
	if !r.found.Stays {
		return
	}
	present := r.present(FieldNetwork)
	v.ProviderFields[FieldNetwork] = present
	why := "load balancer " + r.present(cloud.FieldName) + " was there before the Service, and is in network " + present + ", which it does not leave"
	if v.Scope == cloud.ScopeInternal || WantsPrivate(r.Spec) {
		r.errs = append(r.errs, &cloud.Invalid{Field: config.EnvNetwork, Value: strconv.FormatInt(id, 10), Want: why + ": detach it, or name another one with " + Name.Name})
		return
	}
	r.warn(config.EnvNetwork, why+": the Service is not told its address there")
}

func (r *request) notes(v cloud.Balancer) {
	if WantsPrivate(r.Spec) {
		for _, t := range r.Candidates {
			if ip := ReachedAt(v, t, true); ip != AddressOf(t, true) {
				r.warn(usePrivateIP.Name, "node "+t.NodeName+" has no private address, and is reached at "+ip)
			}
		}
	}
	r.warnings = append(r.warnings, annotation.UnknownPorts(r.Spec, protocol, proxyProtocol, certificate)...)
}

// SizeOf returns the name of the type that the Service asks for. Without one it stays as it is.
func SizeOf(spec cloud.Spec, present string) string {
	return cmp.Or(size.In(spec.Options), present, defaultType)
}

// NameOf returns the name that the Service asks for.
func NameOf(spec cloud.Spec) string {
	return cmp.Or(Name.In(spec.Options), cloud.UIDName(spec.Owner.UID))
}

// Number is a text as a number, 0 where it is none.
func Number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
