package openstack

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// maxText is the longest name, tag and description Octavia takes. Upstream cuts names but not
// descriptions.
const maxText = 255

func cut(text string) string { return text[:min(len(text), maxText)] }

// namePrefix begins the names of balancers that were made for a Service.
const namePrefix = "kube_service_"

// name is the balancer's name as upstream gives it. It is no proof of anything: two clusters
// in one project can have the same.
func (d *Driver) name(o cloud.Owner) string {
	return cut(namePrefix + d.clusterName + "_" + o.Namespace + "_" + o.Name)
}

// readName reads a name that upstream gives a balancer. No part of a Service's name can hold a "_",
// a cluster's can. Of a name that was cut nothing can be told for sure, so it is only somebody's.
func readName(name string) (o cloud.Owner, ok bool) {
	rest, ok := strings.CutPrefix(name, namePrefix)
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

// legacyName is the name very old versions of upstream gave. It holds the Service's UID.
func legacyName(uid string) string {
	name := "a" + strings.ReplaceAll(uid, "-", "")
	return name[:min(len(name), 32)]
}

// descriptionPrefix begins the descriptions of balancers that were made for a Service.
const descriptionPrefix = "Kubernetes external service "

func (d *Driver) description(o cloud.Owner) string {
	return cut(fmt.Sprintf(descriptionPrefix+"%s from cluster %s", o, d.clusterName))
}

// childName is the name of the n-th listener, pool or monitor.
func (d *Driver) childName(kind string, n int, o cloud.Owner) string {
	return cut(fmt.Sprintf("%s_%d_%s", kind, n, d.name(o)))
}

// isChild reports whether a name is that of a listener, pool or monitor of the owner's balancer.
func (d *Driver) isChild(kind, name string, o cloud.Owner) bool {
	n, _, ok := splitChild(kind, name)
	return ok && name == d.childName(kind, n, o)
}

// splitChild splits the name of a listener, pool or monitor into its number and the balancer's name.
func splitChild(kind, name string) (n int, balancer string, ok bool) {
	rest, ok := strings.CutPrefix(name, kind+"_")
	number, balancer, separated := strings.Cut(rest, "_")
	n, err := strconv.Atoi(number)
	return n, balancer, ok && separated && err == nil
}

// renamed returns the name a listener, pool or monitor of the owner has to have after the cluster
// got another name, "" where its name can stay.
func (d *Driver) renamed(kind, name string, o cloud.Owner) string {
	n, balancer, ok := splitChild(kind, name)
	if !ok || !d.isNameOf(balancer, o) || name == d.childName(kind, n, o) {
		return ""
	}
	return d.childName(kind, n, o)
}

// floatingPrefix begins the descriptions of the floating IPs upstream makes.
const floatingPrefix = "Floating IP for Kubernetes external service"

// floatingDescription is upstream's, with the Service's UID, which is a proof.
func (d *Driver) floatingDescription(o cloud.Owner) string {
	mark := " (uid " + o.UID + ")"
	text := fmt.Sprintf("%s %s from cluster %s", floatingPrefix, o, d.clusterName)
	return text[:min(len(text), maxText-len(mark))] + mark
}

// floatingIsOurs reports whether a floating IP was made for the Service. One of upstream's says
// so by where it is attached.
func (d *Driver) floatingIsOurs(description string, o cloud.Owner, attached bool) bool {
	if strings.Contains(description, "(uid ") {
		return o.UID != "" && strings.HasSuffix(description, "(uid "+o.UID+")")
	}
	return attached && strings.Contains(description, floatingPrefix)
}

// formerFloating reports whether a floating IP of the Service has the description it got in a cluster
// of another name.
func (d *Driver) formerFloating(description string, o cloud.Owner) bool {
	return description != d.floatingDescription(o) && d.floatingIsOurs(description, o, false) &&
		strings.HasPrefix(description, floatingPrefix+" "+o.String()+" from cluster ")
}

// groupName is the name of the Service's security group, as upstream gives it. It holds the
// Service's UID.
func groupName(o cloud.Owner) string {
	return cut(fmt.Sprintf("lb-sg-%s-%s-%s", o.UID, o.Namespace, o.Name))
}

func (d *Driver) groupDescription(o cloud.Owner) string {
	return cut(fmt.Sprintf("Security Group for %s Service LoadBalancer in cluster %s", o, d.clusterName))
}
