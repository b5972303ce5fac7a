package tag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// ChildName is the name of the n-th listener, pool or monitor.
func (m Ownership) ChildName(kind string, n int, o cloud.Owner) string {
	return Cut(fmt.Sprintf("%s_%d_%s", kind, n, m.Name(o)))
}

// IsChild reports whether a name is that of a listener, pool or monitor of the owner's balancer.
func (m Ownership) IsChild(kind, name string, o cloud.Owner) bool {
	n, _, ok := splitChild(kind, name)
	return ok && name == m.ChildName(kind, n, o)
}

// splitChild splits the name of a listener, pool or monitor into its number and the balancer's name.
func splitChild(kind, name string) (n int, balancer string, ok bool) {
	rest, ok := strings.CutPrefix(name, kind+"_")
	number, balancer, separated := strings.Cut(rest, "_")
	n, err := strconv.Atoi(number)
	return n, balancer, ok && separated && err == nil
}

// NameOf is the name of a listener, pool or monitor that is there: as it is, unless the cluster got
// another name.
func (m Ownership) NameOf(kind, name string, o cloud.Owner) string {
	if n, balancer, ok := splitChild(kind, name); ok && m.IsNameOf(balancer, o) {
		return m.ChildName(kind, n, o)
	}
	return name
}

// HasListener reports whether a listener on the balancer says by a tag, or by its name where no tag names a Service, that it is
// the Service's.
func (c Owners) HasListener(name string, tags []string) bool {
	named := func(name string) bool { return c.ownershipTags.IsNameOf(name, c.owner) && !c.Names[name] }
	if slices.ContainsFunc(tags, named) {
		return true
	}
	if slices.ContainsFunc(tags, func(tag string) bool { return strings.HasPrefix(tag, NamePrefix) }) {
		return false
	}
	_, balancer, ok := splitChild("listener", name)
	return ok && named(balancer)
}

// HasOther reports whether a listener's tags name something else than the balancer, or a Service that the balancer is shared with.
func (c Owners) HasOther(tags []string, balancer string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return tag != "" && (tag != balancer || c.Names[tag]) })
}

// HasPool reports whether the name of a pool says that it is the Service's.
func (c Owners) HasPool(name string) bool {
	_, balancer, ok := splitChild("pool", name)
	return c.ownershipTags.IsChild("pool", name, c.owner) || ok && c.ownershipTags.IsNameOf(balancer, c.owner)
}
