package annotation

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Prefix is the prefix of the keys that every cloud understands in the same way.
const Prefix = "multicloud-ccm.io/"

// Type is the type of a value.
type Type string

// Types of values.
const (
	TypeString   Type = "string"
	TypeBool     Type = "bool"     // as strconv.ParseBool reads it
	TypeInt      Type = "int"      // decimal, between Min and Max
	TypeEnum     Type = "enum"     // one of Enum, exact case
	TypeList     Type = "list"     // comma-separated, trimmed, empty items dropped
	TypePorts    Type = "ports"    // a list of port numbers 1..65535
	TypeDuration Type = "duration" // whole seconds, between Min and Max: "90", "90s" or "1m30s"
	TypePresence Type = "presence" // only whether the key is there counts
)

// Key is one annotation. The zero value of an optional field means "none".
type Key struct {
	// Name is the annotation's key. Where the key means the same on every cloud it is the
	// one under Prefix.
	Name string
	// Aliases are other spellings, above all the upstream CCM's. They win over Name when both are
	// set and disagree, the first of them first, and an event says so.
	Aliases []string
	// Aliased reads the value of an alias, where upstream writes it in another form; nil where it is
	// read like that of Name. It must accept what it returns.
	Aliased func(value string) (canonical string, ok bool)
	Type    Type
	// Default is the value an absent key has, in canonical form.
	Default string
	Enum    []string
	// Min and Max bound a TypeInt, and a TypeDuration in seconds; both 0 means any number.
	Min, Max int
	// MostItems bounds a TypeList and a TypePorts, 1,000 when 0.
	MostItems int
	// Check validates and canonicalises further what the type let through. It must accept
	// what it returns.
	Check func(value string) (canonical string, ok bool)
	// Want describes the valid values in an error; derived from the type when "".
	Want string
	// PerPort says that the value may differ between the ports of the Service, see OfPort.
	PerPort bool
	// Blank says that an empty value is a value of its own, which stands above a configured
	// default, and not the lack of one.
	Blank bool
	// Lenient makes a bad value a warning that leaves the default, where refusing would
	// do more harm, such as on a key that deletion reads.
	Lenient bool
	// BadCounts is the value that a bad one of a Lenient key counts as, "" for the default.
	BadCounts string
	// Prevails is a value that counts whichever spelling has it, "" for none: the safer one of a switch
	// that keeps something from being changed.
	Prevails string
	// OtherController are values with which the Service belongs to another controller. A balancer that was made before is
	// deleted, where the Service itself has the value. As a configured default the value only keeps balancers from being
	// made and changed: they are deleted with their Services.
	OtherController []string
	// Enables is the value that another key of the provider gets, unless it is given, where the key
	// is spelled as its Name. Upstream's keys of some clouds have no effect without such a switch. Defaults says that the key has an
	// effect with any value of the other one.
	Enables  Setting
	Defaults bool
	// Yields are keys of the provider that stand above this one: where any is given it has no effect,
	// and an event says so.
	Yields []string
	// Field is the managed field of a balancer, or of a listener, in which a portable key is seen, by
	// its name in kernel/cloud. Read translates the field's value into the key's, nil for the same.
	Field string
	Read  func(value string) string
	// Impossible says why a configured cloud cannot do what the portable spelling asks for, "" where it
	// can. That spelling then has no effect; upstream's are passed on all the same, see [Set.Without].
	Impossible string
	// Output marks keys that we write ourselves.
	Output bool
	// Applies names what the key works with, such as "REGIONAL"; "" means always.
	Applies string
	// Doc is one or two sentences for the reference page.
	Doc string
	// Note is what is special about a portable key on one cloud, a sentence behind Doc.
	Note string
}

// Setting is a value of a key.
type Setting struct{ Key, Value string }

// Values are validated, canonical values by Key.Name; absent keys have their default.
type Values map[string]string

// Spellings returns all aliases and Name, the one that wins first.
func (k Key) Spellings() []string { return append(slices.Clone(k.Aliases), k.Name) }

// In returns the value of the key, its default when it is absent.
func (k Key) In(values map[string]string) string {
	if v, ok := values[k.Name]; ok {
		return v
	}
	return k.Default
}

// Has reports whether the key was given.
func (k Key) Has(values map[string]string) bool {
	_, ok := values[k.Name]
	return ok
}

// Given reports whether one of the keys was given.
func Given(values map[string]string, keys ...Key) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return k.Has(values) })
}

// Bool returns the value of a TypeBool key. Like Int and List it trusts Parse to have
// validated the value and returns zero for anything else.
func (k Key) Bool(values map[string]string) bool {
	b, _ := strconv.ParseBool(k.In(values))
	return b
}

// Int returns the value of a TypeInt key.
func (k Key) Int(values map[string]string) int {
	n, _ := strconv.Atoi(k.In(values))
	return n
}

// Duration returns the value of a TypeDuration key. Its canonical form is the bare number
// of seconds.
func (k Key) Duration(values map[string]string) time.Duration {
	return time.Duration(k.Int(values)) * time.Second
}

// List returns the items of a TypeList key, nil when there are none.
func (k Key) List(values map[string]string) []string { return split(k.In(values)) }

// Ports returns the numbers of a TypePorts key, nil when there are none.
func (k Key) Ports(values map[string]string) []int {
	var ports []int
	for _, item := range k.List(values) {
		n, _ := strconv.Atoi(item)
		ports = append(ports, n)
	}
	return ports
}

func split(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
