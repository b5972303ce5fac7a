package annotation

import (
	"cmp"
	"slices"
	"strings"
)

// Keys the kernel handles itself, the same on every cloud. A provider with its own spelling for
// one of them declares it with WithAliases.
var (
	// Disown leaves the balancer alone: nothing is created, changed or deleted.
	Disown = Key{
		Name: Prefix + "disown", Type: TypeBool, Default: "false", Lenient: true, Prevails: "true",
		Doc: "Leave the balancer alone: it is neither created nor changed nor deleted, and the status stays as it is. A bad value counts as false, with an event.",
	}
	// Retain keeps the balancer when the Service is deleted.
	Retain = Key{
		// A balancer that was kept by mistake can be deleted, not the other way round.
		Name: Prefix + "retain", Type: TypeBool, Default: "false", Lenient: true, BadCounts: "true", Prevails: "true",
		Doc: "Keep the balancer when the Service is deleted; the Service's ownership tags are removed, so that another Service can adopt it. A bad value counts as true, with an event.",
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
	// Creation remembers the creation of a balancer.
	Creation = Key{
		Name: Prefix + "creation", Type: TypeString, Output: true,
		Doc: "Written when a balancer is made: when, and the id that the cloud answered with. It says that this Service may have a balancer in the cloud, also after a restart; it proves nothing about whose a balancer is.",
	}
	// Duplicates remembers second balancers.
	Duplicates = Key{
		Name: Prefix + "duplicates", Type: TypeString, Output: true,
		Doc: "Written while a Service has more than one load balancer with its ownership tags: the ids of the others, and since when they are known, so that a restart does not begin their minute anew. It proves nothing about them, and goes when they are gone.",
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

// Kernel returns the keys the kernel handles on every cloud.
func Kernel() Set {
	return Set{Disown, Retain, Adopt, AllowReplacement, Replacement, Creation, Duplicates, Hostname, IPMode, NodeSelector, SourceRanges}
}

// Own returns a key that one cloud alone has. A switch is off without it.
func Own(name string, of Type, doc string) Key {
	k := Key{Name: name, Type: of, Doc: doc}
	if of == TypeBool {
		k.Default = "false"
	}
	return k
}

// WithAliases returns the key with a provider's own spellings added.
func (k Key) WithAliases(aliases ...string) Key {
	k.Aliases = slices.Concat(aliases, k.Aliases)
	return k
}

// Within returns the key with a cloud's own bounds.
func (k Key) Within(least, most int) Key {
	k.Min, k.Max = least, most
	return k
}

// AtMost returns the key with the most items that a cloud takes, see MostItems.
func (k Key) AtMost(items int) Key {
	k.MostItems = items
	return k
}

// OneOf returns the key with those of its values that a cloud has.
func (k Key) OneOf(values ...string) Key {
	k.Enum = values
	return k
}

// On returns the key with what it works with, see Applies.
func (k Key) On(what string) Key {
	k.Applies = what
	return k
}

// Noted returns the key with what has to be known of it on one cloud.
func (k Key) Noted(note string) Key {
	k.Note = note
	return k
}

// Standing returns the key with the value that a cloud's balancers have without it.
func (k Key) Standing(value string) Key {
	k.Default = value
	return k
}

// Checked returns the key with a cloud's own check of its values, nil where others check them, and what it wants.
func (k Key) Checked(check func(string) (string, bool), want string) Key {
	k.Check, k.Want = check, want
	return k
}

// Spelled returns the key with values of its aliases in a form of their own, see Aliased. "" leaves what it wants.
func (k Key) Spelled(aliased func(string) (string, bool), want string) Key {
	k.Aliased, k.Want = aliased, cmp.Or(want, k.Want)
	return k
}

// Leniently returns the key with bad values that are only warned of, see Lenient.
func (k Key) Leniently() Key {
	k.Lenient = true
	return k
}

// ShownIn returns the key with the managed field it is seen in, where a cloud has another one. read
// translates a value of the field into one of the key; nil takes it as it is.
func (k Key) ShownIn(field string, read func(string) string) Key {
	k.Field, k.Read = field, read
	return k
}

// Under returns the key with those that stand above it, see Yields.
func (k Key) Under(names ...string) Key {
	k.Yields = names
	return k
}

// SwitchingOn returns the key with another one that its Name gives a value to, see Enables.
func (k Key) SwitchingOn(name, value string) Key {
	k.Enables = Setting{name, value}
	return k
}

// Defaulting returns the key with another one that its Name gives a value to, unless it has one of its own, see Enables.
func (k Key) Defaulting(name, value string) Key {
	k.Enables, k.Defaults = Setting{name, value}, true
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

// Without returns the set where the portable spellings of some keys have no effect. impossible says why,
// by the name of the key.
func (s Set) Without(impossible map[string]string) Set {
	keys := slices.Clone(s)
	for i, key := range keys {
		keys[i].Impossible = impossible[key.Name]
	}
	return keys
}

// Find returns the key of that name.
func (s Set) Find(name string) (Key, bool) {
	at := slices.IndexFunc(s, func(k Key) bool { return k.Name == name })
	if at < 0 {
		return Key{}, false
	}
	return s[at], true
}

// View returns what a balancer is like in the words of the portable keys, by their names. field
// returns the value of a managed field of the balancer, and whether it has that.
func (s Set) View(field func(name string) (string, bool)) map[string]string {
	view := map[string]string{}
	for _, key := range s {
		if _, portable := Portable().Find(key.Name); !portable {
			continue
		}
		value, there := field(key.Field)
		if !there {
			continue
		}
		if key.Read != nil {
			value = key.Read(value)
		}
		view[key.Name] = value
	}
	return view
}

func lower(value string) string { return strings.ToLower(value) }
