// Package desired says which Network Load Balancer a Service asks for. It calls nothing.
package desired

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Settings are those that decide about a balancer.
type Settings struct {
	Cluster tag.Cluster
	// LeaveNodeGroups says that the security groups of nodes are not ours to change.
	LeaveNodeGroups bool
	// ManagedGroups says that new balancers get a security group of their own.
	ManagedGroups bool
	// Probe is the health check of Services without externalTrafficPolicy Local, nil for one of their own.
	Probe *config.Probe
}

// Normalize returns the network balancer the Service asks for.
func (s Settings) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	w := builder{Settings: s, input: in, found: balancer.Found.Open(in.Findings)}
	if w.found.Network != nil {
		w.present = *w.found.Network
	}
	b := cloud.Balancer{
		Name: balancer.Name(in), Scope: cloud.ScopeOf(option.Internal.In(in.Options) == "true"), DualStack: w.dualStack(),
		OwnershipTags: s.Cluster.WantedOwnershipTags(in.Owner),
		ProviderFields: map[string]string{
			balancer.FieldType: balancer.KindNetwork, balancer.FieldTags: option.TagText(tag.Wanted(in.Spec)), balancer.FieldCrossZone: option.CrossZone.In(in.Options),
			balancer.FieldProtection: option.Protection.In(in.Options), balancer.FieldLog: option.Log.In(in.Options),
		},
	}
	if option.Log.Bool(in.Options) {
		if option.LogBucket.In(in.Options) == "" {
			w.refuse(option.LogBucket.Name, "", "want the S3 bucket of the access log, which "+option.Log.Name+" asks for")
		}
		b.ProviderFields[balancer.FieldLogBucket], b.ProviderFields[balancer.FieldLogPrefix] = option.LogBucket.In(in.Options), option.LogPrefix.In(in.Options)
	}
	b.Preserve(in.Preserved)
	b.Allow = balancer.Allow(in.Spec, b.DualStack)
	w.subnets(&b)
	w.groups(&b)
	w.listeners(&b)
	w.timeouts(b.Listeners)
	if ownershipTag := w.heldOwnershipTag(); ownershipTag != "" {
		b.OwnershipTags = append(b.OwnershipTags, ownershipTag)
		slices.Sort(b.OwnershipTags)
	}
	w.ignored()
	w.unguarded(b)
	return b, w.notes, w.err
}

// builder makes the network balancer that a Service asks for.
type builder struct {
	Settings
	input cloud.Input
	found balancer.Findings
	// present is the network balancer that was found, the zero value for none.
	present balancer.Network
	notes   []cloud.Warning
	held    []string // see holds
	err     error    // the first one
}

func (w *builder) note(field, message string) {
	w.notes = append(w.notes, cloud.Warning{Field: field, Message: message})
}

func (w *builder) refuse(field, value, want string) {
	w.fail(&cloud.Invalid{Field: field, Value: value, Want: want})
}

func (w *builder) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// dualStack says whether the balancer gets IPv6 addresses:
//
//	families of the Service  subnets    UDP ports  it gets them
//	one                      –          –          no
//	two                      all IPv6   none       yes
//	two                      all IPv6   some       no, with a note: IPv6 packets can't reach IPv4 nodes over UDP
//	two                      not all    –          no, with a note
//
// One that was there before gets them as holds says.
func (w *builder) dualStack() bool {
	const field = "spec.ipFamilies"
	udp := slices.ContainsFunc(w.input.Ports, func(p cloud.Port) bool { return p.Protocol == cloud.ProtocolUDP })
	switch {
	case !w.input.DualStack:
		return false
	case !w.found.IPv6:
		w.note(field, "the balancer has IPv4 addresses only: not all of its subnets have an IPv6 network")
		return false
	case udp:
		w.note(field, "the balancer has IPv4 addresses only: UDP over IPv6 does not reach the nodes' IPv4 addresses")
		return false
	}
	return !w.holds(partStack, "two", field, w.found.Network != nil && !w.present.DualStack)
}

// subnets sets where the balancer is. Where it is now its addresses stay: AWS can't change them.
func (w *builder) subnets(b *cloud.Balancer) {
	ids, err := balancer.Subnets(w.input)
	w.fail(err)
	given, key := option.Addresses.List(w.input.Options), option.Addresses
	if len(given) == 0 {
		given, key = option.PrivateAddresses.List(w.input.Options), option.PrivateAddresses
	} else if option.PrivateAddresses.Has(w.input.Options) {
		w.refuse(option.PrivateAddresses.Name, option.PrivateAddresses.In(w.input.Options), "it does not go together with "+option.Addresses.Name)
	}
	if len(given) > 0 && len(ids) > 0 && len(given) != len(ids) {
		w.refuse(key.Name, strings.Join(given, ","), fmt.Sprintf("want as many as there are subnets: %d (%s)", len(ids), strings.Join(ids, ",")))
	}
	present := w.present.Places
	if len(present) == 0 {
		w.formed(key.Name, given...)
	}
	b.ProviderFields[balancer.FieldSubnets] = PlacesText(ids, func(id string) string {
		wanted := ""
		if i := slices.Index(ids, id); i < len(given) {
			wanted = given[i]
		}
		has, there := present[id]
		if there && has != wanted && len(given) > 0 {
			w.note(key.Name, fmt.Sprintf("the balancer keeps its address %q in subnet %s: AWS can change it only where the balancer leaves the subnet", has, id))
		}
		if there {
			return has
		}
		if len(present) > 0 {
			w.formed(key.Name, wanted)
		}
		return wanted
	})
	now := PlacesText(slices.Collect(maps.Keys(present)), func(id string) string { return present[id] })
	asked := strings.Join([]string{option.Subnets.In(w.input.Options), option.Addresses.In(w.input.Options), option.PrivateAddresses.In(w.input.Options)}, " ")
	if w.holds(partSubnets, asked, option.Subnets.Name, now != "" && now != b.ProviderFields[balancer.FieldSubnets]) {
		b.ProviderFields[balancer.FieldSubnets] = now
	}
}

// formed refuses what cannot be a value of the key with the addresses: AWS refuses it only after other things were made. Where the
// balancer has the subnet, the value has no effect.
func (w *builder) formed(key string, given ...string) {
	isAddress, want := option.IsAllocation, `want allocation ids of Elastic IPs, such as "eipalloc-0123456789abcdef0"`
	if key == option.PrivateAddresses.Name {
		isAddress, want = func(text string) bool { _, ok := annotation.IPv4(text); return ok }, "want IPv4 addresses"
	}
	if i := slices.IndexFunc(given, func(text string) bool { return text != "" && !isAddress(text) }); i >= 0 {
		w.refuse(key, given[i], want)
	}
}

// Places is PlacesText the other way round: the address in each subnet, "" where AWS chose.
func Places(text string) map[string]string {
	places := map[string]string{}
	for _, place := range balancer.List(text) {
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

// groups sets the balancer's security groups:
//
//	balancer now   annotation  mode     it gets
//	without any    –           –        none, with a note where some were asked for: AWS can't add any
//	other          set         –        those of the annotation
//	none yet       not set     managed  one of its own
//	none yet       not set     none     none
//	with its own   not set     –        its own: AWS can't remove it
//	with others    not set     managed  one of its own
//	with others    not set     none     those it has
func (w *builder) groups(b *cloud.Balancer) {
	given, managed := option.Groups.In(w.input.Options), w.ManagedGroups
	if mode := option.GroupMode.In(w.input.Options); mode != "" {
		managed = mode == "managed"
	}
	switch {
	case w.found.Network != nil && w.present.Groups == "":
		if given != "" || option.GroupMode.In(w.input.Options) == "managed" {
			w.note(option.Groups.Name, "the balancer was made without security groups, and AWS can't give it any: only a new one can have them")
		}
	case given != "":
		b.ProviderFields[balancer.FieldGroups] = balancer.Joined(option.Groups.List(w.input.Options))
	case managed:
		b.ProviderFields[balancer.FieldGroups] = secgroup.OwnGroup
	default:
		b.ProviderFields[balancer.FieldGroups] = w.present.Groups
	}
	if option.ExtraGroups.In(w.input.Options) != "" {
		w.refuse(option.ExtraGroups.Name, option.ExtraGroups.In(w.input.Options), "network balancers have no extra groups: use "+option.Groups.Name)
	}
}

// ignored notes what has no effect on network balancers.
func (w *builder) ignored() {
	for _, note := range option.Unused(w.input.Spec, option.OnClassic, "it has no effect on a Network Load Balancer") {
		w.note(note.Field, note.Message)
	}
	if option.ProxyProtocol.In(w.input.Options) == option.ProxyClassic {
		w.note(option.ProxyProtocol.Name, `"*" is for classic balancers; network ones take "true"`)
	}
}

// Enforcer says who enforces source ranges. Without a security group of the balancer's own it is the nodes' that do, which see
// the clients only where their addresses are kept. Those of IPv6 clients are not: the nodes have IPv4 addresses.
//
//	its own group  addresses   IPv6  DisableSecurityGroupIngress  enforced by
//	yes            –           –     –                            its group
//	no             kept        no    no                           the nodes' groups
//	no             kept        no    yes                          whoever manages these
//	no             kept        yes   –                            nobody
//	no             replaced    –     –                            nobody
func (s Settings) Enforcer(b cloud.Balancer) cloud.Enforcer {
	switch {
	case b.ProviderFields[balancer.FieldGroups] == secgroup.OwnGroup:
		return cloud.EnforcedByGroup
	case b.DualStack || slices.ContainsFunc(b.Listeners, func(l cloud.Listener) bool { return l.ProviderFields[balancer.FieldPreserve] != "true" }):
		return cloud.EnforcedByNobody
	case s.LeaveNodeGroups:
		return cloud.EnforcedByUser
	}
	return cloud.EnforcedByNodes
}

// unguarded refuses source ranges that nothing would enforce.
func (w *builder) unguarded(b cloud.Balancer) {
	if !w.input.Restricts(cloud.Families{IPv4: true, IPv6: b.DualStack}) {
		return
	}
	switch w.Enforcer(b) {
	case cloud.EnforcedByNobody:
		w.refuse("spec.loadBalancerSourceRanges", strings.Join(b.Allow, ","),
			"the nodes do not see the clients' addresses, so it takes a security group of the balancer's own: "+option.GroupMode.Name+": managed on a new balancer")
	case cloud.EnforcedByUser:
		w.note("spec.loadBalancerSourceRanges", "DisableSecurityGroupIngress is set, so whoever manages the nodes' security groups has to enforce them")
	}
}
