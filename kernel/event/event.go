// Package event is the catalogue of events that users see on Services and Nodes. Every
// reason is declared here once; docs/reference/events.md is generated from it.
package event

// Reason is an event reason as it appears in `kubectl describe`.
type Reason struct {
	Name string
	// Warning events need somebody's attention.
	Warning bool
	// On is the kind of object it appears on: "Service" or "Node".
	On string
	// Doc says what happened and what to do.
	Doc string
}

// Reasons on Services.
var (
	InvalidConfiguration = Reason{"InvalidConfiguration", true, "Service", "An annotation or field has a value that is not possible; the message names each one and what would be right. The balancer keeps serving in its last valid shape, and its targets are still updated."}
	ConfigurationIgnored = Reason{"ConfigurationIgnored", true, "Service", "A setting has no effect on this kind of balancer, or an unknown key looks like a typing error."}
	ImmutableChange      = Reason{"LoadBalancerImmutableChange", true, "Service", "The cloud cannot change this field of an existing balancer. It stays as it is; set multicloud-ccm.io/allow-replacement to replace the balancer."}
	OwnershipConflict    = Reason{"OwnershipConflict", true, "Service", "The balancer that was found belongs to another Service or cluster, or nothing proves that it is ours. It is not touched."}
	TargetSkipped        = Reason{"TargetSkipped", true, "Service", "Some nodes cannot be targets of this balancer; the message says which and why."}
	NoTargets            = Reason{"NoTargets", true, "Service", "No node can be a target of this balancer."}
	SourceRangesRefused  = Reason{"SourceRangesRefused", true, "Service", "This cloud cannot restrict client networks, so no balancer is created rather than one that is open to everyone. A balancer that exists already keeps serving as it is."}
	CloudFailure         = Reason{"CloudFailure", true, "Service", "The cloud refused or failed a call; the message has its class and text. It is tried again."}
	Retained             = Reason{"LoadBalancerRetained", false, "Service", "The Service was deleted and its balancer kept, as multicloud-ccm.io/retain asked."}
	Adopted              = Reason{"LoadBalancerAdopted", false, "Service", "A balancer that existed before was taken over and marked as this Service's."}
	DriftRepaired        = Reason{"DriftRepaired", false, "Service", "The balancer had been changed outside Kubernetes and was brought back; the message lists the fields."}
	NotConverging        = Reason{"NotConverging", true, "Service", "The same changes were needed several times in a row: the cloud stores something else than what it is told. Changes stop until the Service changes."}
)

// Reasons on Nodes.
var (
	DeletionHeld      = Reason{"NodeDeletionHeld", true, "Node", "The machine seems to be gone but the Node is kept, because the proof is not complete; the message says what is missing."}
	BrakeEngaged      = Reason{"DeletionBrakeEngaged", true, "Node", "More Nodes than the brake allows would be deleted in a short time. The rest is kept until the window has passed or the process is restarted."}
	IdentityChanged   = Reason{"CloudIdentityChanged", true, "Node", "The credentials see another account than before. No Node is deleted and no balancer believed to be gone until they see the old one again or the process is restarted."}
	CloudUnavailable  = Reason{"CloudUnavailable", true, "Node", "The cloud does not answer, or refuses the credentials. Nodes are left as they are."}
	AmbiguousInstance = Reason{"AmbiguousInstance", true, "Node", "More than one machine has this Node's name. Set the kubelet's --provider-id."}
	InstanceNotFound  = Reason{"InstanceNotFound", true, "Node", "No machine of this cloud has the Node's provider-ID or name; the Node is not initialised."}
)

// All returns the catalogue in the order of the documentation.
func All() []Reason {
	return []Reason{
		InvalidConfiguration, ConfigurationIgnored, ImmutableChange, OwnershipConflict, TargetSkipped,
		NoTargets, SourceRangesRefused, CloudFailure, Retained, Adopted, DriftRepaired, NotConverging,
		DeletionHeld, BrakeEngaged, IdentityChanged, CloudUnavailable, AmbiguousInstance, InstanceNotFound,
	}
}

// Recorder writes events. The object is "Service" or "Node" as the reason says.
type Recorder interface {
	// Record writes an event on the object; equal events are aggregated.
	Record(object Object, reason Reason, message string)
}

// Object is what an event is about.
type Object struct {
	Kind, Namespace, Name, UID string
}
