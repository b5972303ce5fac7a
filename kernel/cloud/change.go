package cloud

import (
	"strconv"
	"time"
)

// Verb is what an operation does.
type Verb string

// Verbs.
const (
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// Kind is what an operation acts on.
type Kind string

// Kinds.
const (
	KindBalancer Kind = "balancer"
	KindListener Kind = "listener"
	KindTarget   Kind = "target"
	KindRoute    Kind = "route"
	KindFirewall Kind = "firewall"
	KindNode     Kind = "node"
)

// Operation is one difference between what is and what should be.
type Operation struct {
	Verb Verb `json:"verb"`
	Kind Kind `json:"kind"`
	// Key says which one: a listener key, an instance id, a route's destination; "" for
	// the balancer itself.
	Key string `json:"key,omitempty"`
	// Field is set for updates of one field.
	Field  string `json:"field,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Reason says why, in words for the operator.
	Reason string `json:"reason,omitempty"`
	// Destructive marks what can't be undone by another operation.
	Destructive bool `json:"destructive,omitempty"`
	// Blocked says why the operation is not executed; "" when it is.
	Blocked string `json:"blocked,omitempty"`
}

// Change is what Balancers.Apply executes: the state before, the state after and the
// ordered operations between them. A cloud that replaces whole objects uses After, a
// fine-grained one walks Operations.
type Change struct {
	Input  Input
	Before Observed
	// After is nil when the balancer is to be deleted.
	After *Balancer
	// Replaced says of a deletion that another balancer of the same Spec follows at once. Addresses
	// made for the Service are kept for it, tagged as the Service's: the creation finds and
	// uses them, and so does a deletion of the Service (Observed.Orphans).
	Replaced bool
	// Operations are ordered: create and widen before narrow and delete. Blocked ones
	// are not included.
	Operations []Operation
	// NotReplaced is why a part stays as it is although it differs, nil for none: the cloud has refused another one in its place. It
	// is the kernel's.
	NotReplaced *NotReplaced
	// LeftOut are machines that the cloud has refused as targets. Of a driver whose load balancers consist of resources they are not
	// asked for behind any listener that does not have them, see Resource.Machine.
	LeftOut map[InstanceID]bool
	// Rest is Progress.Rest of the change that goes on with this one, nil for one that begins. It is the kernel's: a driver
	// passes neither on.
	Rest any
}

// Progress is the outcome of Apply. Of one that fails only Observed counts, where it has made the balancer.
type Progress struct {
	// Pending says that the cloud is still busy; observe again after After, or when the
	// kernel thinks fit if that is 0.
	Pending bool
	After   time.Duration
	// Operations are what goes on in the cloud, see Operations. The balancer is pending as long as one of
	// them runs, and a failure of one is the failure of this change.
	Operations []string
	// Removed says that these delete the balancer itself: once they have ended well it is gone, whatever else
	// of the change is left.
	Removed bool
	// Step says what was done, where the change takes several runs. The same step in the same
	// change again means that the cloud did not keep it.
	Step string
	// More says that the change has further steps, which the next runs carry out.
	More bool
	// Rest is what is left of a change whose Operations go on, as far as that is known without another look. Settles says that
	// they are the balancer itself, see ResourceKind.Settles. Both are the kernel's.
	Rest    any
	Settles bool
	// GoesOn says of a change that is pending, and of which the cloud refuses a part, that the other parts do not wait for the
	// retry: the same is not asked for again meanwhile.
	GoesOn bool
	// Again says that a part is left which has to wait, such as a target that the cloud does
	// not take yet: all else is done, and the balancer is looked at again after that time.
	Again time.Duration
	// Warnings say what is left, and why.
	Warnings []Warning
	// Observed is the state Apply learnt on the way, nil when it has to be read. So has the rest of one that
	// is pending while nothing else is.
	Observed *Observed
}

// Warning is for the user, and about one field, reported as an event on the Service.
type Warning struct {
	// Field is an annotation key or a Service field.
	Field   string
	Message string
	// Reason is a reason of the event catalogue; "" means the generic one.
	Reason string
}

func itoa(n int) string { return strconv.Itoa(n) }

func formatBool(b bool) string { return strconv.FormatBool(b) }
