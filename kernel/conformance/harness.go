package conformance

import (
	"strconv"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Harness is a driver together with a cloud the suite may break.
type Harness struct {
	// New returns a driver on a fresh, empty cloud; it cleans up with t.Cleanup. The driver's
	// transport has transport.Guard around it, as the kernel's has.
	New func(t *testing.T) (*cloud.Driver, Control)
	// Descriptor and Annotations are what the provider registers.
	Descriptor  cloud.Descriptor
	Annotations annotation.Set
	// Variations give every annotation of the provider a valid value that is not its
	// default, by Key.Name. An annotation without one fails the suite.
	Variations map[string]Variation
	// With are annotations for the Services whose ports and policies are varied, where those show
	// in what an annotation switches on, such as health checks.
	With map[string]string
	// Portable are further annotations that a Service with many portable ones needs, such as the kind of
	// balancer that has them.
	Portable map[string]string
	// Names are what golden plans show in place of ids the cloud chose.
	Names map[string]string
	// Constant are managed fields that nothing on a Service varies, by name as in
	// Balancer.Fields and Listener.Fields, each with the reason.
	Constant map[string]string
	// Impossible are standard Services (see Standard) this cloud can't serve although its
	// capabilities and annotations do not say so, each with the reason.
	Impossible map[string]string
	// Refused are Services the cloud would refuse, by what is wrong with them, which the driver's
	// Checker has to find before anything is made.
	Refused map[string]Service
	// Errors are further errors the API documents, by name.
	Errors map[string]APIError
	// ProviderIDs are the forms of provider-IDs that upstream reads besides the one that is
	// written, with the machine's id in the place of %s. Foreign are those of another region or
	// project: they concern nobody here.
	ProviderIDs, Foreign []string
	// Described are new Nodes whose machines only they describe, for a Describer.
	Described []cloud.NodeAttributes
	// Inventory is the one that New gives the driver, nil for none. Every Node of Described has to be in it, or to have a provider-ID.
	Inventory cloud.Inventory
	// Offline says, as the Descriptor has to, that the driver sends no request, and that a Node which says nothing of its cloud
	// describes its machine. What needs machines that an API lists, answers or failures is not checked; that there is no request is.
	// The Control counts requests only.
	Offline bool
	// Passes is how many passes the longest change may take; 5 when 0. A cloud that takes one
	// change of a part at a time needs more than one that replaces whole objects.
	Passes int
	// Traffic says for each route of the API which operations its requests carry out: the verb and the kind, and the field
	// where it is for one. An empty operation stands for whatever is not carried out by another request. The writes that the
	// cloud received are then compared with the plan of each change; the Control has to be a Witness.
	Traffic map[string][]cloud.Operation
	// Slow says that each change of a balancer takes seconds, as where it is a machine. Checks
	// then share balancers where that shows the same: see variations and interrupted.
	Slow bool
	// Machines is how many machines are more than one page; Limits.PageSize + 1 when 0.
	Machines int
}

// Variation is a sample value of one annotation.
type Variation struct {
	Value string
	// With are other annotations without which this one has no effect.
	With map[string]string
	// Skip says why the annotation changes no field of a balancer; "" when it does.
	Skip string
}

// APIError is an error the API documents and the class it has to get.
type APIError struct {
	Fault Fault
	Want  cloud.Class
}

// Control is what the suite needs from the test cloud besides the driver's own API.
// Nothing done through it counts as a request.
type Control interface {
	// AddMachine adds a running machine that any balancer can have as a target.
	AddMachine(name string) cloud.InstanceID
	RemoveMachine(id cloud.InstanceID)
	StopMachine(id cloud.InstanceID)
	// Requests counts the API requests so far, faulty ones included.
	Requests() (reads, writes int)
	// Fail makes every request wrong after the first few, until Heal.
	Fail(f Fault, after int)
	// Heal ends all faults; hung requests may stay hung.
	Heal()
	// Settle ends whatever the cloud is still busy with: new balancers become active,
	// deleted ones disappear.
	Settle()
}

// Tamperer is a Control that can also change a balancer behind the driver's back.
type Tamperer interface {
	// TamperBalancer changes the field, named as in Balancer.Fields, or behind the key of a
	// listener as in "tcp/80 protocol", to another valid value, or deletes or changes a resource of
	// the kind that field names; it returns false for what it can't change.
	TamperBalancer(id, field string) bool
}

// Protector is a Control that can make the cloud refuse to delete a balancer.
type Protector interface {
	ProtectBalancer(id string)
}

// Inspector is a Control that can say what is left in the cloud.
type Inspector interface {
	// Leftovers describes every object besides machines, such as balancers, firewalls
	// and certificates made for them.
	Leftovers() []string
}

// Neighbour is a Control of a cloud whose routes have no ownership tag of their Owner but a name made of Config.ClusterName.
type Neighbour interface {
	// Neighbour returns the driver of a cluster with another name, on the same cloud.
	Neighbour() *cloud.Driver
}

// Fault is one way in which an answer goes wrong. Exactly one of Status, Hang, Truncate,
// Lost, Nonsense and Blank is set.
type Fault struct {
	// Status refuses the request with this HTTP status.
	Status int
	// Body goes with Status; "" means the API's usual error body for it.
	Body string
	// Location goes with a Status that leads elsewhere.
	Location string
	// RetryAfter is sent as a Retry-After header, in whole seconds.
	RetryAfter time.Duration
	// Writes limits the fault to requests that change something; Control.Fail counts only those
	// then. Only a Slow Harness needs it.
	Writes bool
	// Hang never answers.
	Hang bool
	// Truncate does what was asked, but the connection breaks within the answer's body.
	Truncate bool
	// Lost does what was asked, but the connection breaks before the answer.
	Lost bool
	// Nonsense answers 200 with a body that is not the API's: an HTML page.
	Nonsense bool
	// Blank answers 200 and {}.
	Blank bool
}

// acts reports whether what was asked for is done in spite of the fault.
func (f Fault) acts() bool { return f.Truncate || f.Lost }

// String names the fault.
func (f Fault) String() string {
	switch {
	case f.Hang:
		return "hung"
	case f.Truncate:
		return "truncated body"
	case f.Lost:
		return "lost answer"
	case f.Nonsense:
		return "200 with nonsense"
	case f.Blank:
		return "200 with {}"
	}
	return "HTTP " + strconv.Itoa(f.Status)
}
