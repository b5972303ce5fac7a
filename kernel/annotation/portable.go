package annotation

import "slices"

// Keys the kernel handles itself, the same on every cloud. A provider with its own spelling for
// one of them declares it with WithAliases.
var (
	// Disown leaves the balancer alone: nothing is created, changed or deleted.
	Disown = Key{
		Name: Prefix + "disown", Type: TypeBool, Default: "false", Lenient: true,
		Doc: "Leave the balancer alone: it is neither created nor changed nor deleted, and the status stays as it is. A bad value counts as false, with an event.",
	}
	// Retain keeps the balancer when the Service is deleted.
	Retain = Key{
		Name: Prefix + "retain", Type: TypeBool, Default: "false", Lenient: true,
		Doc: "Keep the balancer when the Service is deleted; the Service's owner marks are removed, so that another Service can adopt it. A bad value counts as true, with an event.",
	}
	// Adopt takes over a certain balancer and never makes another one instead.
	Adopt = Key{
		Name: Prefix + "adopt", Type: TypeString,
		Doc: "The id of a balancer to take over. Where the Service may not have it, nothing is created in its place. One that belongs to another Service or cluster needs an operator's consent, safety.adoption.",
	}
	// AllowReplacement permits another balancer in the place of this one to change an immutable field.
	AllowReplacement = Key{
		Name: Prefix + "allow-replacement", Type: TypeBool, Default: "false", Lenient: true,
		Doc: "Let a change of an immutable field replace the balancer. Where the cloud can have both, the new one is made first and the old one deleted once it serves; elsewhere the old one is deleted first, after everything that can be checked, and made again if the cloud refuses the new one. The plan and the event say which it is. The address may change. Without the annotation the change is blocked, with an event.",
	}
	// Replacement remembers a replacement that has begun.
	Replacement = Key{
		Name: Prefix + "replacement", Type: TypeString, Output: true,
		Doc: "Written while a balancer is being replaced: which one, for which request, and what it was like. It counts together with the condition of the same name in the Service's status only. If the cloud refused the new one it stays; remove it to have the same change tried again.",
	}
	// Hostname replaces the addresses in the Service's status.
	Hostname = Key{
		Name: Prefix + "hostname", Type: TypeString, Check: checkHostname, Want: `a host name such as "www.example.com"`,
		Doc: "Put this host name, in lower case, into the Service's status instead of the balancer's addresses.",
	}
	// IPMode overrides how in-cluster clients reach the balancer.
	IPMode = Key{
		Name: Prefix + "ip-mode", Type: TypeEnum, Enum: []string{"VIP", "Proxy"},
		Doc: "Set ipMode in the Service's status. By default it is Proxy where the balancer changes the connection (PROXY protocol, TLS termination), else unset.",
	}
	// NodeSelector narrows the targets.
	NodeSelector = Key{
		Name: Prefix + "node-selector", Type: TypeString, Want: `a label selector such as "pool=edge"`,
		Doc: "Use only nodes with these labels as targets, in the syntax of kubectl --selector.",
	}
)

// Keys that a cloud may have, spelled and meant in the same way wherever it does. A provider
// declares those it can do, with its own spellings added.
var (
	// Name is the name of the balancer.
	Name = Key{
		Name: Prefix + "name", Type: TypeString,
		Doc: "Name of the balancer. By default it is derived from the Service's UID. A change renames the balancer.",
	}
	// Internal makes it an internal balancer.
	Internal = Key{
		Name: Prefix + "internal", Type: TypeBool, Default: "false",
		Doc: "Give the balancer a private address only. Can't be changed later.",
	}
	// ProxyProtocol tells targets where a connection comes from.
	ProxyProtocol = Key{
		Name: Prefix + "proxy-protocol", Type: TypeBool, Default: "false",
		Doc: "Begin each connection to a node with a PROXY protocol header.",
	}
)

// Kernel returns the keys the kernel handles on every cloud.
func Kernel() Set {
	return Set{Disown, Retain, Adopt, AllowReplacement, Replacement, Hostname, IPMode, NodeSelector}
}

// WithAliases returns the key with a provider's own spellings added.
func (k Key) WithAliases(aliases ...string) Key {
	k.Aliases = slices.Concat(aliases, k.Aliases)
	return k
}

// With returns the kernel's keys and a provider's together. A provider key of the same
// name, such as Disown.WithAliases(…), takes the kernel key's place.
func (s Set) With(provider Set) Set {
	named := map[string]bool{}
	for _, key := range provider {
		named[key.Name] = true
	}
	all := slices.Clone(provider)
	for _, key := range s {
		if !named[key.Name] {
			all = append(all, key)
		}
	}
	return all
}
