// Package event is the catalogue of events that users see on Services, Nodes and the lease. Every
// reason is declared here once; docs/reference/events.md is generated from it.
package event

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Reason is an event reason as it appears in `kubectl describe`.
type Reason struct {
	Name string
	// Warning events need somebody's attention.
	Warning bool
	// On is the kind of object it appears on: "Service", "Node" or "Lease".
	On string
	// Doc says what happened and what to do.
	Doc string
}

// Reasons on Services.
var (
	InvalidConfiguration = Reason{"InvalidConfiguration", true, "Service", "An annotation or field has a value that is not possible; the message names each one and what would be right. The balancer keeps serving in its last valid shape, and its targets are still updated."}
	ConfigurationIgnored = Reason{"ConfigurationIgnored", true, "Service", "A setting has no effect on this kind of balancer, or an unknown key looks like a typing error."}
	Unaffected           = Reason{"LoadBalancerUnaffected", false, "Service", "A field of the Service does nothing to its load balancer, and nothing is wrong: it is a hint that no load balancer reads, or it is about the nodes or the cluster, which do what it says. The message names each."}
	ImmutableChange      = Reason{"LoadBalancerImmutableChange", true, "Service", "The cloud cannot change this field of an existing balancer. It stays as it is. With multicloud-ccm.io/allow-replacement the balancer is replaced; the message says whether the new one is made first, or the old one deleted first and why."}
	ReplacementRefused   = Reason{"LoadBalancerReplacementRefused", true, "Service", "A balancer was to be replaced and the cloud refuses the new one. The old one stays, or was made again as it was; the message says what is wrong."}
	WaitingForNodes      = Reason{"WaitingForNodes", false, "Service", "No node can be a target of the balancer yet; the message says of each node why: it waits for its cloud, it has the label node.kubernetes.io/exclude-from-external-load-balancers, it is not eligible. Without a reason there is no node. The balancer is made as soon as one can be a target, because zones and address families, which cannot be changed later, are chosen by the nodes."}
	OwnershipConflict    = Reason{"OwnershipConflict", true, "Service", "The Service names a load balancer that it may not use: there is none with this id, or it is somebody else's, or nothing proves that it is this Service's. Nothing is created or touched. An operator can allow it with safety.adoption."}
	TakeoverRefused      = Reason{"LoadBalancerTakeoverRefused", true, "Service", "Another Service named this Service's load balancer by id and was refused. Nothing was changed. Events with reason OwnershipConflict show which one it was."}
	DuplicateFound       = Reason{"LoadBalancerDuplicate", true, "Service", "There is more than one load balancer with this Service's ownership tags, as after two processes worked at once. The recorded one is kept; the message names the others and what becomes of them."}
	DuplicateDeleted     = Reason{"LoadBalancerDuplicateDeleted", false, "Service", "A second load balancer with this Service's ownership tags was deleted; the message names both."}
	TargetSkipped        = Reason{"TargetSkipped", true, "Service", "Some nodes cannot be targets of this balancer; the message says which and why."}
	NoTargets            = Reason{"NoTargets", true, "Service", "No node can be a target of this balancer; the message says of each node why. Without a reason there is no node."}
	TargetsKept          = Reason{"TargetsKept", true, "Service", "This process has not brought this balancer's targets to the nodes before, and would take away most of them, or all. Those of which nothing proves that they may go stay; the message says which and why. Each goes when there is proof (its machine is gone, its node is excluded), or when the Service asks for something else."}
	TargetFoundByName    = Reason{"TargetFoundByName", true, "Service", "A node without provider-ID is a target because exactly one machine has its name. Nothing else is done for such a node: it is never initialised or deleted. Set its kubelet's --provider-id, or --cloud-provider=external and register it again."}
	SourceRangesRefused  = Reason{"SourceRangesRefused", true, "Service", "This cloud cannot restrict client networks, so no balancer is created rather than one that is open to everyone. A balancer that exists already keeps serving as it is."}
	FirewallFull         = Reason{"FirewallFull", true, "Service", "The cloud's firewall holds no more rules. What is open stays open, and free room goes to the oldest Service that waits. The message has the ports of this Service that have no room, how many rules they want, and which Services are older: those of other namespaces only by their number. Use fewer node ports, adjoining ones, or the same source ranges."}
	FirewallPortDenied   = Reason{"FirewallPortDenied", true, "Service", "The Service asks for a port of the nodes that this cluster never opens for clients, such as SSH or the kubelet's. Use another port; the cluster's operator sets the list with --firewall-denied-ports."}
	CloudFailure         = Reason{"CloudFailure", true, "Service", "The cloud refused or failed a call; the message has its class and text. It is tried again."}
	Retained             = Reason{"LoadBalancerRetained", false, "Service", "The Service was deleted and its balancer kept, as multicloud-ccm.io/retain asked, or because the cloud protects it from deletion. The message says which balancer."}
	Updated              = Reason{"UpdatedLoadBalancer", false, "Service", "The cloud has made a change of the balancer that it took time for, such as other nodes as targets."}
	Deleting             = Reason{"DeletingLoadBalancer", false, "Service", "The Service gives its balancer up, which is being deleted. Its finalizer stays until nothing is left of it."}
	Adopted              = Reason{"LoadBalancerAdopted", false, "Service", "A balancer that existed before was taken over and marked as this Service's."}
	DriftRepaired        = Reason{"DriftRepaired", false, "Service", "The balancer had been changed outside Kubernetes and was brought back; the message lists the fields."}
	NotConverging        = Reason{"NotConverging", true, "Service", "The same changes were needed several times in a row: the cloud stores something else than what it is told. Changes stop until the Service changes."}
)

// Reasons on Nodes.
var (
	CheckingInstance  = Reason{"CheckingInstance", false, "Node", "The cloud has no machine for a Node that is not Ready. The cloud is asked again before the Node is deleted. There is nothing to do."}
	DeletionHeld      = Reason{"NodeDeletionHeld", true, "Node", "The machine seems to be gone but the Node is kept for longer than a proof takes, because something is missing in it; the message says what."}
	BrakeEngaged      = Reason{"DeletionBrakeEngaged", true, "Node", "More Nodes than the brake allows would be deleted in a short time, or more machines are missing at once, or the record of earlier deletions can't be read. The message says which. The Nodes are kept; if their machines are really gone, `cloud-controller-manager release-brake` lets them go. A restart does not."}
	IdentityChanged   = Reason{"CloudIdentityChanged", true, "Node", "The credentials see another account than before. No Node is deleted and no balancer believed to be gone until they see the old one again. If the other account is meant, restart the process; while no Node is Ready, run `cloud-controller-manager release-brake` too."}
	CloudUnavailable  = Reason{"CloudUnavailable", true, "Node", "The cloud does not answer, or refuses the credentials. Nodes are left as they are."}
	AmbiguousInstance = Reason{"AmbiguousInstance", true, "Node", "More than one machine has this Node's name. Set the kubelet's --provider-id."}
	NodeIPUnknown     = Reason{"NodeIPUnknown", true, "Node", "The kubelet's --node-ip is no address of the machine, so the Node is not initialised, or keeps the addresses that it has; the message has both. Set --node-ip to an address of the machine, or leave it out; the network of a VPN belongs into --node-networks."}
	RouteLeftOut      = Reason{"RouteLeftOut", false, "Node", "The cloud's network cannot have a route for one of the Node's pod networks, such as the IPv6 one; the message says which. Those of the others are made. The CNI has to carry the rest."}
	RouteImpaired     = Reason{"RouteImpaired", true, "Node", "The route to the Node's Pods is there, and the cloud says that packets do not arrive all the same; the message says why, such as an instance that may not forward packets."}
	RouteLimitReached = Reason{"RouteLimitReached", true, "Node", "The cloud's network holds no more routes, or a quota of the account is used up, so that the Node gets none and its Pods are not reached by others; the message says how many there are, or what the cloud answered. It gets one when another one goes. Where only the cloud knows the limit, it is asked again every half hour. Raise the quota, or use another network plugin or fewer Nodes."}
	RouteRefused      = Reason{"RouteRefused", true, "Node", "The cloud refuses the route to the Node's Pods; the message says why. The route is asked for again when the machine or the addresses of the Node change, when a route goes, and from time to time."}
	LabelsLeftOut     = Reason{"LabelsLeftOut", false, "Node", "The Node was initialised without some labels, which the cloud tells in a request of its own that failed; the message says why. They do not come later: where something needs them, delete the Node and let its kubelet register it again."}
	NotInitialised    = Reason{"NodeNotInitialised", true, "Node", "The Node cannot be initialised yet for another reason than these; the message says which, and what to do. It is tried again."}
	CertificateWaits  = Reason{"KubeletCertificateWaits", true, "Node", "The kubelet has asked for the certificate that it serves with, and the controller kubelet-serving-certificate does not approve the request; the message says why, and the command with which somebody who knows better approves it. Where it waits for something that changes by itself, such as the cloud's answer, it is judged again. It is said once for each reason, and after an hour again for a newer request."}
	InstanceNotFound  = Reason{"InstanceNotFound", true, "Node", "No machine of this cloud has the Node's provider-ID or name, or the provider-ID can't be read; the Node is not initialised, or its addresses are not refreshed. Where the machine was made again under the same name the message has both ids, and the command that helps."}
	NodeLeftAlone     = Reason{"NodeLeftAlone", false, "Node", "Nothing is done for the Node: its provider-ID is one of this provider, and these credentials do not see its machine, or it has no provider-ID and no machine has its name. The message says which. It is said once; other providers' Nodes are never told."}
)

// Reasons on the leader's lease.
var (
	BrakeReleased       = Reason{"DeletionBrakeReleased", false, "Lease", "An operator released the deletion brake; the message says who and when."}
	BrakeReleaseInvalid = Reason{"DeletionBrakeReleaseInvalid", true, "Lease", "The annotation that releases the deletion brake has no valid time, or one that is too long ago by the API server's clock, so nothing is released. The message says which."}
)

// All returns the catalogue in the order of the documentation.
func All() []Reason {
	return []Reason{
		InvalidConfiguration, ConfigurationIgnored, Unaffected, ImmutableChange, ReplacementRefused, OwnershipConflict, TakeoverRefused, DuplicateFound, DuplicateDeleted, TargetSkipped,
		NoTargets, TargetsKept, TargetFoundByName, WaitingForNodes, SourceRangesRefused, CloudFailure, Retained, Updated, Deleting, Adopted, DriftRepaired, NotConverging,
		FirewallFull, FirewallPortDenied,
		CheckingInstance, DeletionHeld, BrakeEngaged, IdentityChanged, CloudUnavailable, AmbiguousInstance, InstanceNotFound, NodeLeftAlone, NodeIPUnknown, NotInitialised, CertificateWaits, LabelsLeftOut, RouteLeftOut, RouteImpaired, RouteLimitReached, RouteRefused,
		BrakeReleased, BrakeReleaseInvalid,
	}
}

// MostOfMessage is how many bytes the message of an event has at most.
const MostOfMessage = 1000

// Recorder writes events. The object is of the kind that the reason says.
type Recorder interface {
	// Record writes an event on the object; equal events are aggregated.
	Record(object Object, reason Reason, message string)
}

// Object is what an event is about.
type Object struct {
	Kind, Namespace, Name, UID string
}

// About returns the Object for an event about a Node or a Service, as the kind says.
func About(kind string, o metav1.Object) Object {
	return Object{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID())}
}
