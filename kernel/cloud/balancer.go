package cloud

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// Protocol is a protocol of a port or listener, upper case.
type Protocol string

// Protocols a Service port can have.
const (
	ProtocolTCP  Protocol = "TCP"
	ProtocolUDP  Protocol = "UDP"
	ProtocolSCTP Protocol = "SCTP"
)

// Protocols only listeners have.
const (
	ProtocolHTTP  Protocol = "HTTP"
	ProtocolHTTPS Protocol = "HTTPS"
	ProtocolHTTP2 Protocol = "HTTP2"
	ProtocolHTTP3 Protocol = "HTTP3"
	ProtocolTLS   Protocol = "TLS"
)

// ProtocolOf returns the protocol an API spells in any case.
func ProtocolOf(text string) Protocol { return Protocol(strings.ToUpper(text)) }

// Lower returns the protocol as most APIs spell it.
func (p Protocol) Lower() string { return strings.ToLower(string(p)) }

// Scope says from where a balancer is reached.
type Scope string

// Scopes.
const (
	ScopeExternal Scope = "external"
	ScopeInternal Scope = "internal"
)

// ScopeOf returns the scope of a balancer that is internal or not.
func ScopeOf(internal bool) Scope {
	if internal {
		return ScopeInternal
	}
	return ScopeExternal
}

// Balancer is the managed state of a load balancer: of every field here we know the
// value we want, and what is not here we leave alone.
type Balancer struct {
	Name  string
	Scope Scope
	// DualStack says that it has an IPv6 address beside the IPv4 one.
	DualStack bool
	// Listeners are keyed by protocol class and port, see Listener.Key.
	Listeners []Listener
	// Health is the balancer-wide check; nil where each listener has its own.
	Health *Health
	// Allow and Deny are CIDRs or addresses in the driver's canonical form, sorted.
	Allow []string
	Deny  []string
	// Targets are instance ids, sorted; of an observed balancer that keeps them for each
	// listener, those behind any.
	Targets []InstanceID
	// ProviderFields are managed fields only this cloud has, by field name.
	ProviderFields map[string]string
	// OwnershipTags are the ownership tags the object has to carry, sorted, in the cloud's own form
	// (tags, labels).
	OwnershipTags []string
}

// Listener is one open port.
type Listener struct {
	Protocol       Protocol
	Port           int
	TargetProtocol Protocol
	TargetPort     int
	// Health is the listener's own check, nil where the balancer has one for all.
	Health *Health
	// Targets are the machines behind this listener, sorted, where the cloud keeps them for
	// each listener and they were observed; else nil. What is wanted is Balancer.Targets.
	Targets        []InstanceID
	ProviderFields map[string]string
}

// Key identifies the listener: its transport ("udp" for UDP and HTTP3, "sctp", else "tcp")
// and port, as in "tcp/443".
func (l Listener) Key() string {
	transport := "tcp"
	switch l.Protocol {
	case ProtocolUDP, ProtocolHTTP3:
		transport = "udp"
	case ProtocolSCTP:
		transport = "sctp"
	}
	return transport + "/" + itoa(l.Port)
}

// Health is a health check.
type Health struct {
	Protocol       Protocol
	Port           int
	Path           string
	Interval       time.Duration
	Timeout        time.Duration
	Healthy        int
	Unhealthy      int
	ProviderFields map[string]string
}

// Observed is what a cloud says about a balancer.
type Observed struct {
	Found bool
	ID    string
	// ByName says that only the name led to it: no id and no ownership tag of this Service.
	ByName bool
	// Named says that its name holds this Service's UID, which proves as much as an ownership tag.
	Named bool
	// Owner is what the object's ownership tags claim, field by field; zero fields are not claimed.
	// Upstream's ownership tags count: the cluster, the Service or the UID that they name. The driver
	// translates upstream's ownership tag of our own cluster into the cluster id of Spec.Owner. It does
	// not judge, except where Shared is set.
	Owner Owner
	// Shared says that the cloud lets several Services use this balancer, that it has room for
	// this one, and that this one would only add and remove its own parts. Ownership tags of other Services
	// of the same cluster are then not claimed in Owner: they do not own the whole.
	Shared bool
	// Rivals are the ids of other balancers that its name leads to as well, sorted, where nothing but the name led to it. None of
	// them is the Service's then, unless something else proves it.
	Rivals []string
	// Duplicates are the ids of further balancers that are this Service's by their ownership tags, sorted, where the
	// lists that were read anyway show any. Two processes can each have made one.
	Duplicates []string
	// Sole says, of a balancer that is to be deleted, that lists which were read for it show no other one of its Service, and
	// that what the cloud acknowledges the deletion of is gone, or harms nobody. Nobody looks again then. A deletion that is
	// answered with "not found" has to be cloud.Waiting: that proves nothing.
	Sole bool
	// Protected says that the cloud refuses to delete it, because somebody asked for that. Its Service
	// goes all the same, and leaves it without ownership tags.
	Protected bool
	State     BalancerState
	// Detail explains a failed state.
	Detail    string
	Balancer  Balancer
	Addresses []BalancerAddress
	// Orphans says, when nothing was found, that objects made for the balancer are left
	// all the same, such as its public address: a deletion has something to do.
	Orphans bool
	// Findings become Input.Findings; they may be set when nothing was found.
	Findings Findings
	// Record are annotations to write on the Service, such as a rotated certificate id.
	Record map[string]string
	// Native is the driver's own object, so that Apply need not read it again.
	Native Native
}

// OwnedBalancer is what a list of balancers says about whose one of them is.
type OwnedBalancer struct {
	ID, Name string
	// Owners are the Services that its ownership tags name: several where Services share it.
	Owners []Owner
	// Deleting says that the cloud is deleting it.
	Deleting bool
	// Created is when it was made, zero where the cloud does not say it.
	Created   time.Time
	Addresses []BalancerAddress
}

// BalancerState is the life-cycle state of a balancer.
type BalancerState string

// Balancer states. While pending, most APIs refuse changes.
const (
	BalancerPending BalancerState = "pending"
	BalancerActive  BalancerState = "active"
	BalancerFailed  BalancerState = "failed"
)

// BalancerAddress is where clients connect.
type BalancerAddress struct {
	IP       string
	Hostname string
	// Proxy says that in-cluster clients must not short-circuit the balancer, because it
	// changes the connection (PROXY protocol, TLS termination); it becomes ipMode: Proxy.
	Proxy bool
}

// Field names of the portable part of a Balancer, as in Capabilities.Immutable and plans.
const (
	FieldName          = "name"
	FieldScope         = "scope"
	FieldDualStack     = "dualStack"
	FieldAllow         = "allow"
	FieldDeny          = "deny"
	FieldOwnershipTags = "marks" // plans have had that name from the first; people read that of FieldText
)

// Fields returns every managed scalar field by name, for comparing and printing. Fields
// of the health check are "health.<name>", provider fields have their own name. Listeners and
// targets are not included.
func (b Balancer) Fields() map[string]string {
	fields := map[string]string{
		FieldName:          b.Name,
		FieldScope:         string(b.Scope),
		FieldDualStack:     formatBool(b.DualStack),
		FieldAllow:         strings.Join(b.Allow, ","),
		FieldDeny:          strings.Join(b.Deny, ","),
		FieldOwnershipTags: strings.Join(b.OwnershipTags, ","),
	}
	maps.Copy(fields, b.ProviderFields)
	b.Health.fields(fields)
	return fields
}

// Fields returns every managed field of the listener by name.
func (l Listener) Fields() map[string]string {
	fields := map[string]string{
		"protocol":       string(l.Protocol),
		"targetProtocol": string(l.TargetProtocol),
		"targetPort":     itoa(l.TargetPort),
	}
	maps.Copy(fields, l.ProviderFields)
	l.Health.fields(fields)
	return fields
}

func (h *Health) fields(into map[string]string) {
	if h == nil {
		return
	}
	into["health.protocol"] = string(h.Protocol)
	into["health.port"] = itoa(h.Port)
	into["health.path"] = h.Path
	into["health.interval"] = h.Interval.String()
	into["health.timeout"] = h.Timeout.String()
	into["health.healthy"] = itoa(h.Healthy)
	into["health.unhealthy"] = itoa(h.Unhealthy)
	for name, value := range h.ProviderFields {
		into["health."+name] = value
	}
}

// Preserve gives the name, the scope, the network stack and provider fields the values they have to
// keep, see Input.Preserved.
func (b *Balancer) Preserve(values map[string]string) {
	for field, value := range values {
		switch field {
		case FieldName:
			b.Name = value
		case FieldScope:
			b.Scope = Scope(value)
		case FieldDualStack:
			b.DualStack = value == formatBool(true)
		default:
			if _, managed := b.ProviderFields[field]; managed {
				b.ProviderFields[field] = value
			}
		}
	}
}

// Clone returns a copy that shares nothing with b.
func (b Balancer) Clone() Balancer {
	b.Listeners = slices.Clone(b.Listeners)
	for i := range b.Listeners {
		b.Listeners[i].ProviderFields = maps.Clone(b.Listeners[i].ProviderFields)
		b.Listeners[i].Health = b.Listeners[i].Health.clone()
		b.Listeners[i].Targets = slices.Clone(b.Listeners[i].Targets)
	}
	b.Health = b.Health.clone()
	b.Allow, b.Deny = slices.Clone(b.Allow), slices.Clone(b.Deny)
	b.Targets, b.OwnershipTags = slices.Clone(b.Targets), slices.Clone(b.OwnershipTags)
	b.ProviderFields = maps.Clone(b.ProviderFields)
	return b
}

func (h *Health) clone() *Health {
	if h == nil {
		return nil
	}
	c := *h
	c.ProviderFields = maps.Clone(h.ProviderFields)
	return &c
}

// SortListeners orders listeners by key, the order in which all drivers return them.
func SortListeners(listeners []Listener) {
	slices.SortFunc(listeners, func(a, b Listener) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Key(), b.Key()))
	})
}

// FieldText is the name of a field as people read it.
func FieldText(field string) string {
	if field == FieldOwnershipTags {
		return "ownership tags"
	}
	return field
}
