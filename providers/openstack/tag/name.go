package tag

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// MaxText is the longest name, tag and description Octavia takes. Upstream cuts names but not
// descriptions.
const MaxText = 255

// Cut makes a text as short as Octavia wants it.
func Cut(text string) string { return text[:min(len(text), MaxText)] }

// NamePrefix begins the names of balancers that were made for a Service.
const NamePrefix = "kube_service_"

// Name is the balancer's name as upstream gives it. It is no proof of anything: two clusters
// in one project can have the same.
func (m Ownership) Name(o cloud.Owner) string {
	return Cut(NamePrefix + m.ClusterName + "_" + o.Namespace + "_" + o.Name)
}

// ReadName reads a name that upstream gives a balancer. No part of a Service's name can hold a "_",
// a cluster's can. Of a name that was cut nothing can be told for sure, so it is only somebody's.
func ReadName(name string) (o cloud.Owner, ok bool) {
	rest, ok := strings.CutPrefix(name, NamePrefix)
	at := strings.LastIndex(rest, "_")
	if !ok || at < 0 {
		return cloud.Owner{}, false
	}
	o.Cluster, o.Name = rest[:at], rest[at+1:]
	if at = strings.LastIndex(o.Cluster, "_"); at >= 0 {
		o.Cluster, o.Namespace = o.Cluster[:at], o.Cluster[at+1:]
	}
	return o, true
}

// IsNameOf reports whether a name is what upstream calls the Service's balancer, in a cluster of
// whatever name: those change.
func (m Ownership) IsNameOf(name string, o cloud.Owner) bool {
	named, _ := ReadName(name)
	return name == m.Name(o) || ownership.NamesThis(named, o)
}

// HasName reports whether a listener has the Service's name in a tag, and none it had in a cluster of
// another name.
func (m Ownership) HasName(tags []string, o cloud.Owner) bool {
	former := slices.ContainsFunc(tags, func(tag string) bool { return tag != m.Name(o) && m.IsNameOf(tag, o) })
	return slices.Contains(tags, m.Name(o)) && !former
}
