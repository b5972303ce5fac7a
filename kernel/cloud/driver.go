package cloud

import (
	"context"
	"net/netip"
)

// Driver is one cloud as the kernel sees it. A driver only reads state, rounds values to
// what its API would store, and executes one change. It makes no decision, keeps no
// cache, logs nothing, emits no event, counts nothing, never sleeps and never retries:
// the kernel wraps it and does all of that once, for every cloud.
//
// A driver must be safe for concurrent use. Every other interface of this file but Instances is
// optional: the kernel finds it by type assertion on the Driver.
type Driver interface {
	// Identity says which account, project or tenant the credentials see. It is read at
	// start and compared before anything is judged gone.
	Identity(ctx context.Context) (Identity, error)

	// Classify sorts an error that this driver returned into the closed set of failures.
	// An error it does not know is FailureUnknown, never FailureNotFound; the kernel
	// recognises a lack of an answer itself (NoAnswer).
	Classify(err error) Failure

	// Instances reads machines.
	Instances() Instances
}

// Instances reads machines. All methods only read.
type Instances interface {
	// ParseProviderID returns the instance that a Node's spec.providerID names. The kernel
	// calls it only for provider-IDs of this cloud, see ProviderIDScope. An error means malformed.
	ParseProviderID(providerID string) (InstanceID, error)

	// List returns every machine the credentials can see, all pages. Complete is false
	// when a part (page, region) could not be read: such a list proves nothing absent. The kernel
	// takes a list with the same machine twice for one, and leaves the second out.
	List(ctx context.Context) (InstanceList, error)

	// Get reads machines directly by id, at most Limits.GetBatch at once. An id missing
	// from the result was answered by a definite not-found; with any doubt about any id
	// Get returns an error instead.
	Get(ctx context.Context, ids ...InstanceID) (map[InstanceID]Instance, error)

	// FindByName returns the machines a Node of that name could be. None is an empty
	// slice and no error; more than one is the kernel's problem.
	FindByName(ctx context.Context, name string) ([]Instance, error)
}

// ProviderIDScope is implemented by drivers for which the scheme of a provider-ID does not decide whose
// its Node is: upstream reads some without scheme, or they name a region or project that these
// credentials may not see. For every other driver the schemes of the Descriptor decide.
type ProviderIDScope interface {
	// Concerns reports whether a provider-ID is of this cloud, and of the part of it that the
	// driver reads. A malformed one that can only be meant for it is. A Node with any other
	// provider-ID is foreign: it exists, is never touched, is no target, is no canary, and the
	// deletion brake does not count it. It is pure: the same id has the same answer for as long
	// as the driver lives.
	Concerns(providerID string) bool
}

// Partition is implemented by drivers that see their machines with several credentials, of accounts
// that have nothing to do with each other.
type Partition interface {
	// PartOf names the credentials that a machine is seen with, "" for those that Identity is about. What
	// one of them see proves nothing about the machines of another. It is pure.
	PartOf(id InstanceID) string
}

// NodeIdentity is implemented by drivers for which a machine is another one when it is named anew.
type NodeIdentity interface {
	// NodeID returns the machine of a Node of that name, whose provider-ID names id. It is pure.
	NodeID(id InstanceID, name string) InstanceID
}

// TargetLimit is implemented by drivers whose load balancers have sizes that differ in how many targets they
// can have.
type TargetLimit interface {
	// MaxTargets returns the most targets of a balancer as it has to be, 0 for no limit. It is pure.
	MaxTargets(wanted Balancer) int
}

// Namer is implemented by drivers whose cloud gives machines names that hold their id.
type Namer interface {
	// NameID returns the id in the name of a Node without provider-ID, "" where there is none.
	// Such a Node is that machine, and no other is looked for. It is pure.
	NameID(name string) InstanceID
}

// Describer is implemented by drivers whose clusters have machines that no API lists, such as servers
// without credentials or those of a static inventory: only their Node describes them.
type Describer interface {
	// FromNode returns the machine that a Node of this cloud describes, false for every other Node.
	// Its ID is a DescribedInstance, its ProviderID is that of the Node where it has one, and concerns
	// this cloud. Addresses of the Node stay where they are in the answer, and others can be added. An InternalIP may go where the
	// kubelet's --node-ip is another one. An InternalIP that another Node has keeps the Node waiting.
	//
	// Such a Node is initialised, is a target where Eligible allows that, and is nothing else: it has no
	// route and no tag, is never listed or read, is never off or gone, is no canary, and is not counted by
	// the brake. Somebody else has to delete it. It is pure for one version of the
	// Config's Inventory, and the Node with what it returned leads to the same machine.
	FromNode(node NodeAttributes) (Instance, bool)
}

// Completer is implemented by drivers for which a Node knows addresses of its machine that no API tells.
type Completer interface {
	// FromNodeAddresses returns the addresses of the Node of a machine that the machine has besides those that were
	// read. They stand behind these, for the Node and where the machine is a target. It is pure.
	FromNodeAddresses(machine Instance, node NodeAttributes) []Address
}

// Labeler is implemented by drivers whose cloud says something about a machine in a request of
// its own, which becomes labels of its Node. The kernel asks once for each machine, when its
// Node is initialised, and for many of them together.
type Labeler interface {
	// LabelNeed says what a Node with these labels needs. It is pure.
	LabelNeed(machine Instance, labels map[string]string) LabelNeed
	// Labels reads the labels of machines, any number of them. One that is missing from the
	// answer has none. With an error the answer has the labels that were read all the same.
	Labels(ctx context.Context, machines []Instance) (map[InstanceID]map[string]string, error)
}

// LabelNeed says whether a Node waits for the labels of a Labeler.
type LabelNeed string

// The needs. While Labels fails, a Node that wants labels is initialised with those that were read all the same, for good,
// and one that requires them is not initialised.
const (
	LabelsNone     LabelNeed = ""
	LabelsWanted   LabelNeed = "wanted"
	LabelsRequired LabelNeed = "required"
)

// BalancerReader reads load balancers and says what a Service asks for.
type BalancerReader interface {
	// Observe reads the balancer that belongs to the Service, as a whole, together with the
	// lookups that Normalize needs. It only reads. A balancer that definitely does not exist is
	// Observed.Found == false and no error; any doubt is an error, because the framework
	// drops the finalizer of a Service whose balancer is said not to exist.
	//
	// It looks by Ref.ID when set, then by ownership tag, then by name: an id that no longer
	// exists does not end the search, and neither does a text that cannot be an id of this cloud.
	// Found balancers carry the owner their ownership tags claim, which the kernel judges. Of several
	// ownership.Choose takes one, see Observed.Duplicates for the others.
	//
	// Where targets are addresses and no machines, they are UnknownInstance of the address:
	// the kernel knows whose it is.
	//
	// With Input.BulkList it looks there in place of the cloud. The kernel believes what was
	// found in it, and asks again without it before a known balancer counts as gone.
	Observe(ctx context.Context, in Input) (Observed, error)

	// Normalize returns the balancer the Spec asks for, with the value the API would store
	// in every managed field, so that Diff of a fresh observation is empty. It is pure:
	// same Spec, same answer, no I/O. It must not fill Targets. Warnings say what was dropped
	// or changed; an error (use *Invalid) means that nothing sensible can be built.
	Normalize(in Input) (Balancer, []Warning, error)

	// Eligible says why a machine cannot be a target of the balancer, or "" when it can.
	// It is pure.
	Eligible(b Balancer, t Target) (reason string)
}

// Balancers reads and changes load balancers that are written as a whole. A driver whose load
// balancers consist of several resources implements Composite instead.
type Balancers interface {
	BalancerReader

	// Apply executes the change. A nil Change.After deletes the balancer and everything
	// that belongs to it; deleting what is already gone succeeds. Progress says whether
	// the cloud is still busy; Apply never waits for it.
	Apply(ctx context.Context, change Change) (Progress, error)
}

// Recorder is implemented by Balancers of a cloud that has no place for an ownership tag on a part of a load balancer, such as one
// port of one that others use too: the Service remembers which parts are its own.
type Recorder interface {
	// Record returns the annotations that the Service has to have before the change is made, nil for none: whatever
	// becomes of the change, the next process knows what may have been made for the Service. It is pure.
	Record(change Change) map[string]string
}

// Checker is implemented by Balancers of a cloud where it can be read beforehand what would make it
// refuse a balancer. The kernel asks before each creation, and before it deletes a balancer to
// make another one in its place.
type Checker interface {
	// Check returns everything that keeps the balancer from being made, joined with
	// errors.Join: names and ids that do not exist, an address outside its subnet or in use, a
	// quota that is used up. What the user can mend is an *Invalid that names the field.
	//
	// before is the balancer that is deleted first, so that what it uses counts as free; where none is,
	// what Observe said when it found nothing. Check only reads, and a read that fails is an error.
	Check(ctx context.Context, in Input, before Observed) error
}

// Validator is implemented by Balancers that can refuse some requests whatever there is in the cloud. The kernel asks before it reads
// anything for a Service without a balancer: what is refused so costs no request.
type Validator interface {
	// Validate returns what Normalize would refuse with any lookups, joined with errors.Join. exists says that there is a balancer, as
	// far as the kernel knows, whose type and other fixed parts may be others than a new one would have. It is pure.
	Validate(spec Spec, exists bool) error
}

// Replacer is implemented by Balancers of a cloud where a new balancer can be made while the one
// whose place it takes still serves. Elsewhere the old one is deleted first. It needs a
// Descriptor.IDAnnotation, which says which of the two serves.
//
//	call                      with Input.Beside, the balancer that still serves
//	Observe                   looks for another balancer of the owner by Ref.ID, then by tag, never
//	                          by name; the balancer in Beside is not found
//	Normalize                 chooses what both cannot have, such as a unique name, so that it
//	                          differs; after the old balancer is gone it is changed like any field
//	Apply of a creation       makes a balancer and leaves the one in Beside alone
//	Apply of a deletion       deletes only that balancer; what the other one uses stays
type Replacer interface {
	// Coexist says why the balancer cannot be made while before exists, such as the
	// same address asked for by both, or "" when it can. It is pure. The reason completes the
	// sentence "the present one has to be deleted first, because …".
	Coexist(in Input, before Observed) (reason string)
}

// Configured is implemented by drivers whose configuration says what annotations do.
type Configured interface {
	// Defaults returns values in canonical form by the name of the annotation. A Service
	// without the annotation is treated as if it had that value.
	Defaults() map[string]string
	// Impossible returns why the configured cloud cannot do what portable annotations ask for, by the
	// name of the annotation. On a Service such an annotation has no effect, and an event says why.
	// Upstream's spelling of the same annotation is passed on.
	Impossible() map[string]string
}

// Switched is implemented by drivers whose configuration can switch load balancers or routes off. What is off counts as
// not implemented, with all that belongs to it.
type Switched interface {
	// SwitchedOn says which of them are on. It is pure.
	SwitchedOn() (balancers, routes bool)
}

// BulkLister is implemented by Balancers whose cloud can list balancers whole: one reading
// then serves the Observe of many Services.
type BulkLister interface {
	// ListBalancers reads all balancers the credentials can see, all pages; a part that could not
	// be read is an error. The kernel hands the answer to Observe in Input.BulkList. It must not
	// be changed afterwards.
	ListBalancers(ctx context.Context) (BulkList, error)
}

// BulkList is all balancers of one moment, in the driver's own form.
type BulkList any

// OwnedLister is implemented by Balancers whose cloud lists balancers with their ownership tags.
type OwnedLister interface {
	// ListOwned reads all balancers the credentials can see, all pages, and returns at least those whose ownership tags name our
	// cluster, by its id or a former one, and a Service of it; a part that could not be read is an error. Of the owner only cluster, its
	// former ids and cloud are set. An upstream CCM's tags count as in Observed.Owner.
	ListOwned(ctx context.Context, us Owner) ([]OwnedBalancer, error)
}

// NetworkReader is implemented by Balancers that depend on what is the same for all Services and changes
// rarely, such as subnets, zones, route tables and the sizes that there are: one reading then serves the
// Observe of all Services for a minute at most.
type NetworkReader interface {
	// ReadNetwork reads all of it; a part that could not be read is an error. The kernel hands the
	// answer to Observe in Input.Network. It must not be changed afterwards.
	ReadNetwork(ctx context.Context) (Network, error)
}

// Network is what surrounds load balancers, in the driver's own form.
type Network any

// Routes programs the cloud's network for pod CIDRs.
type Routes interface {
	// ListRoutes returns only routes that carry this cluster's ownership tag, and all that lead to
	// machines where Capabilities.RoutesUntagged says that there are no ownership tags.
	ListRoutes(ctx context.Context, owner Owner) ([]Route, error)
	CreateRoute(ctx context.Context, owner Owner, route Route) error
	// DeleteRoute succeeds when the route is already gone.
	DeleteRoute(ctx context.Context, owner Owner, route Route) error
}

// RouteScope is implemented by Routes of a network that leads to a part of the machines only, or to a part of the
// pod networks. Its methods are pure.
type RouteScope interface {
	// RoutesTo reports whether routes can lead to that machine. To the Nodes of others somebody else makes
	// routes, and keeps them.
	RoutesTo(machine InstanceID) bool
	// RoutesFor reports whether a pod network can have a route. One that cannot is left out, with an event, where its
	// Node has another one that can.
	RoutesFor(destination netip.Prefix) bool
}

// Firewalls manages the one cluster-wide packet filter in front of the nodes, computed
// from all Services together, as opposed to the state of a single balancer.
type Firewalls interface {
	// ObserveFirewall reads the managed firewall; Found == false when it does not exist.
	ObserveFirewall(ctx context.Context) (ObservedFirewall, error)
	// NormalizeFirewall rounds openings to what the API would store: sorted, with the fixed
	// rules the cloud needs. The kernel has merged them, and they are within the limits of the
	// Capabilities. It is pure.
	NormalizeFirewall(openings []Opening) ([]Opening, error)
	// ApplyFirewall makes the firewall hold exactly these openings.
	ApplyFirewall(ctx context.Context, before ObservedFirewall, openings []Opening) error
	// BalancerOpenings says which openings on the nodes a balancer of this shape needs to
	// reach its targets. It is pure.
	BalancerOpenings(b Balancer, id string) []Opening
	// FirewallEnabled says whether the configuration asks for a managed firewall at all.
	FirewallEnabled() bool
}

// Tagger is implemented by drivers that can give machines tags which users choose.
type Tagger interface {
	// TagLabel is the label of Nodes that remembers with which tags their machine was tagged. Its
	// value is the kernel's.
	TagLabel() string
	// TagResources are the kinds of things that can be tagged: the machines themselves first.
	TagResources() []string
	// Taggable reports whether a machine can have tags. It is pure.
	Taggable(id InstanceID) bool
	// Tag gives machines, and what belongs to them of the other kinds, these tags besides those
	// they have. Machines that do definitely not exist are returned; all others are tagged.
	Tag(ctx context.Context, ids []InstanceID, resources []string, tags map[string]string) (missing []InstanceID, err error)
	// Untag takes these tags away from machines, where they have these values. Machines that do
	// not exist are left out.
	Untag(ctx context.Context, ids []InstanceID, resources []string, tags map[string]string) error
}
