package mark

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Marks gives a Service's objects their names, descriptions and tags, and reads those of others.
type Marks struct {
	// Cloud is the name of the configuration's entry.
	Cloud string
	// ClusterName is --cluster-name, a part of the names upstream gives.
	ClusterName string
	// Tags says that balancers and listeners have tags.
	Tags bool
}

// MaxText is the longest name, tag and description Octavia takes. Upstream cuts names but not
// descriptions.
const MaxText = 255

// Cut makes a text as short as Octavia wants it.
func Cut(text string) string { return text[:min(len(text), MaxText)] }

// NamePrefix begins the names of balancers that were made for a Service.
const NamePrefix = "kube_service_"

// Name is the balancer's name as upstream gives it. It is no proof of anything: two clusters
// in one project can have the same.
func (m Marks) Name(o cloud.Owner) string {
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

// DescriptionPrefix begins the descriptions of balancers that were made for a Service.
const DescriptionPrefix = "Kubernetes external service "

// Description is the description of a Service's balancer, as upstream gives it.
func (m Marks) Description(o cloud.Owner) string {
	return Cut(fmt.Sprintf(DescriptionPrefix+"%s from cluster %s", o, m.ClusterName))
}

// ChildName is the name of the n-th listener, pool or monitor.
func (m Marks) ChildName(kind string, n int, o cloud.Owner) string {
	return Cut(fmt.Sprintf("%s_%d_%s", kind, n, m.Name(o)))
}

// IsChild reports whether a name is that of a listener, pool or monitor of the owner's balancer.
func (m Marks) IsChild(kind, name string, o cloud.Owner) bool {
	n, _, ok := SplitChild(kind, name)
	return ok && name == m.ChildName(kind, n, o)
}

// SplitChild splits the name of a listener, pool or monitor into its number and the balancer's name.
func SplitChild(kind, name string) (n int, balancer string, ok bool) {
	rest, ok := strings.CutPrefix(name, kind+"_")
	number, balancer, separated := strings.Cut(rest, "_")
	n, err := strconv.Atoi(number)
	return n, balancer, ok && separated && err == nil
}

// Renamed returns the name a listener, pool or monitor of the owner has to have after the cluster
// got another name, "" where its name can stay.
func (m Marks) Renamed(kind, name string, o cloud.Owner) string {
	n, balancer, ok := SplitChild(kind, name)
	if !ok || !m.IsNameOf(balancer, o) || name == m.ChildName(kind, n, o) {
		return ""
	}
	return m.ChildName(kind, n, o)
}

// FloatingPrefix begins the descriptions of the floating IPs upstream makes.
const FloatingPrefix = "Floating IP for Kubernetes external service"

// FloatingDescription is upstream's, with the Service's UID, which is a proof.
func (m Marks) FloatingDescription(o cloud.Owner) string {
	mark := " (uid " + o.UID + ")"
	text := fmt.Sprintf("%s %s from cluster %s", FloatingPrefix, o, m.ClusterName)
	return text[:min(len(text), MaxText-len(mark))] + mark
}

// FloatingIsOurs reports whether a floating IP was made for the Service. One of upstream's says
// so by where it is attached.
func (m Marks) FloatingIsOurs(description string, o cloud.Owner, attached bool) bool {
	if strings.Contains(description, "(uid ") {
		return o.UID != "" && strings.HasSuffix(description, "(uid "+o.UID+")")
	}
	return attached && strings.Contains(description, FloatingPrefix)
}

// FormerFloating reports whether a floating IP of the Service has the description it got in a cluster
// of another name.
func (m Marks) FormerFloating(description string, o cloud.Owner) bool {
	return description != m.FloatingDescription(o) && m.FloatingIsOurs(description, o, false) &&
		strings.HasPrefix(description, FloatingPrefix+" "+o.String()+" from cluster ")
}

// GroupName is the name of the Service's security group, as upstream gives it. It holds the
// Service's UID.
func GroupName(o cloud.Owner) string {
	return Cut(fmt.Sprintf("lb-sg-%s-%s-%s", o.UID, o.Namespace, o.Name))
}

// GroupDescription is that of its security group.
func (m Marks) GroupDescription(o cloud.Owner) string {
	return Cut(fmt.Sprintf("Security Group for %s Service LoadBalancer in cluster %s", o, m.ClusterName))
}

// NameOf is the name of a listener, pool or monitor that is there: as it is, unless the cluster got
// another name.
func (m Marks) NameOf(kind, name string, o cloud.Owner) string {
	if other := m.Renamed(kind, name, o); other != "" {
		return other
	}
	return name
}
