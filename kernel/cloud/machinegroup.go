package cloud

import "context"

// MachineGroup is what a driver has for machines. Instances is always there.
type MachineGroup struct {
	Instances
	ProviderIDScope ProviderIDScope
	Partition       Partition
	NodeIdentity    NodeIdentity
	Namer           Namer
	Describer       Describer
	Completer       Completer
	Labeler         Labeler
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

// ProviderIDScope is for clouds of which the scheme of a provider-ID does not decide whose a Node is: upstream reads some without
// scheme, or they name a region or project that these credentials may not see. For every other driver the schemes of the Descriptor
// decide.
type ProviderIDScope interface {
	// Concerns reports whether a provider-ID is of this cloud, and of the part of it that the
	// driver reads. A malformed one that can only be meant for it is. A Node with any other
	// provider-ID is foreign: it exists, is never touched, is no target, is no canary, and the
	// deletion brake does not count it. It is pure: the same id has the same answer for as long
	// as the driver lives.
	Concerns(providerID string) bool
}

// Partition is for drivers that see their machines with several credentials, of accounts that have nothing to do with each
// other.
type Partition interface {
	// PartOf names the credentials that a machine is seen with, "" for those that Identity is about. What
	// one of them see proves nothing about the machines of another. It is pure.
	PartOf(id InstanceID) string
}

// NodeIdentity is for clouds in which a machine that is renamed counts as another one.
type NodeIdentity interface {
	// NodeID returns the machine of a Node of that name, whose provider-ID names id. It is pure.
	NodeID(id InstanceID, name string) InstanceID
}

// Namer is for clouds that give machines names which hold their id.
type Namer interface {
	// NameID returns the id in the name of a Node without provider-ID, "" where there is none.
	// Such a Node is that machine, and no other is looked for. It is pure.
	NameID(name string) InstanceID
}

// Describer is for clusters with machines that no API lists, such as servers
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

// Completer is for clouds of which a Node knows addresses of its machine that no API tells.
type Completer interface {
	// FromNodeAddresses returns the addresses of the Node of a machine that the machine has besides those that were
	// read. They stand behind these, for the Node and where the machine is a target. It is pure.
	FromNodeAddresses(machine Instance, node NodeAttributes) []Address
}

// Labeler is for clouds that say something about a machine in a request of its own, which becomes labels of its Node. The kernel asks
// once for each machine, when its Node is initialised, and for many of them together.
type Labeler interface {
	// LabelNeed says what a Node with these labels needs. It is pure.
	LabelNeed(machine Instance, labels map[string]string) LabelNeed
	// Labels reads the labels of machines, any number of them. One that is missing from the
	// answer has none. With an error the answer has the labels that were read all the same.
	Labels(ctx context.Context, machines []Instance) (map[InstanceID]map[string]string, error)
	// ZoneKeys are the keys of labels that all machines of a zone have alike. It is pure.
	ZoneKeys() []string
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
