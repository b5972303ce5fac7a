package tag

import (
	"cmp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Form is that of upstream's descriptions of one kind of objects. They have the Service between two texts, and the cluster's name
// at the end.
type Form struct{ before, between string }

// The forms of descriptions.
var (
	Balancer      = Form{"Kubernetes external service ", " from cluster "}
	FloatingIP    = Form{"Floating IP for Kubernetes external service ", " from cluster "}
	SecurityGroup = Form{"Security Group for ", " Service LoadBalancer in cluster "}
)

// The parts of what we add, for objects that have no tags when they are made.
const (
	uidPart     = " (uid "
	clusterPart = ", cluster "
)

// Description is upstream's.
func (m Ownership) Description(f Form, o cloud.Owner) string {
	return Cut(m.whole(f, o))
}

// OwnDescription is upstream's with the Service's UID, and the cluster's id where that is not its name, or where that
// does not fit.
func (m Ownership) OwnDescription(f Form, o cloud.Owner) string {
	text, proof := m.Description(f, o), uidPart+o.UID
	if o.Cluster != m.ClusterName || len(text)+len(proof) >= MaxText {
		proof += clusterPart + Hashed(o.Cluster)
	}
	proof += ")"
	return text[:min(len(text), MaxText-len(proof))] + proof
}

// OwnDescriptions are those that objects of the Service may have: the present one, those with former ids of the cluster, and the one
// that an older version cut, where that had to be.
func (m Ownership) OwnDescriptions(f Form, o cloud.Owner) []string {
	list, whole, proof := []string{m.OwnDescription(f, o)}, m.whole(f, o), uidPart+o.UID+")"
	for _, id := range o.Former.IDs() {
		former := o
		former.Cluster = id
		list = append(list, m.OwnDescription(f, former))
	}
	if len(whole)+len(proof) > MaxText {
		list = append(list, whole[:MaxText-len(proof)]+proof)
	}
	return list
}

// Read returns the owner that a description names to a Service, without UID in one of upstream's. It is false for any other text.
func (f Form) Read(description string, us cloud.Owner) (o cloud.Owner, ok bool) {
	rest, ok := strings.CutPrefix(description, f.before)
	if !ok {
		return o, false
	}
	if at := strings.LastIndex(rest, uidPart); at >= 0 && strings.HasSuffix(rest, ")") {
		o.UID, o.Cluster, _ = strings.Cut(rest[at+len(uidPart):len(rest)-1], clusterPart)
		rest = rest[:at]
	}
	service, name, _ := strings.Cut(rest, f.between)
	o.Cluster = cmp.Or(o.Cluster, name)
	o.Namespace, o.Name, _ = strings.Cut(service, "/")
	return unhashed(o, us), true
}

// ReadDescription is Read for an object that another cluster may have made. A description that an older version cut for the Service
// names --cluster-name whole.
func (m Ownership) ReadDescription(f Form, description string, us cloud.Owner) (o cloud.Owner, ok bool) {
	o, ok = f.Read(description, us)
	if m.isCut(f, description, us) {
		o.Cluster, o.Namespace, o.Name = m.ClusterName, us.Namespace, us.Name
	}
	return o, ok
}

// isCut reports whether a description is what an older version cut for the Service: the longest start of upstream's that fits, before
// the UID where it has one. A present one has the cluster's id then.
func (m Ownership) isCut(f Form, description string, us cloud.Owner) bool {
	text, whole := strings.TrimSuffix(description, uidPart+us.UID+")"), m.whole(f, us)
	return len(description) == MaxText && len(text) < len(whole) && strings.HasPrefix(whole, text)
}

// whole is upstream's description, however long.
func (m Ownership) whole(f Form, o cloud.Owner) string {
	return f.before + o.String() + f.between + m.ClusterName
}

// IsMade reports whether a balancer was made for some Service. Upstream marks those by their
// names; one that was renamed still has its description.
func IsMade(name, description string, o cloud.Owner) bool {
	_, described := Balancer.Read(description, o)
	return described || strings.HasPrefix(name, NamePrefix) || ownership.IsInName(name, o)
}

// IsMadeFor reports whether a balancer was made for this Service. Where only the cluster's name
// differs, a tag has to say that it is the same Service.
func (c Owners) IsMadeFor(name, description string) bool {
	if name == c.ownershipTags.Name(c.owner) || ownership.IsInName(name, c.owner) || description == c.ownershipTags.Description(Balancer, c.owner) {
		return true
	}
	described, _ := Balancer.Read(description, c.owner)
	former := c.ownershipTags.IsNameOf(name, c.owner) || ownership.NamesThis(described, c.owner)
	return former && (c.Ours || c.Upstream)
}
