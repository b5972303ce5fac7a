package cloud

import "context"

// Inventory says which machines there are where no API does. It is the file of --cloud-config of a provider that declares
// ConfigFile.Inventory, in its last version without mistakes. All methods but Reload are pure between two calls of Reload.
type Inventory interface {
	// Match returns what the first entry that fits says of a Node's machine, false where none fits.
	Match(node NodeAttributes) (InventoryEntry, bool)
	// Judge says of each entry, up to the one that fits, whether it fits a Node, and why.
	Judge(node NodeAttributes) []InventoryJudgement
	// Nearest returns at most three entries that a Node may have been meant by, when none fits.
	Nearest(node NodeAttributes) []string
	// Entries returns all entries in their order, each as it is shown to people: "machines[3], names rack2-*".
	Entries() []string
	// Warnings are what in the file has no effect, or is hardly meant.
	Warnings() []string
	// Reload reads the file again. changed says that the other methods may answer otherwise than before. With an error, such as
	// for mistakes in the file, the version before stays.
	Reload(ctx context.Context) (changed bool, err error)
}

// InventoryEntry is what an Inventory says of a machine.
type InventoryEntry struct {
	// Entry is one of Entries, or "" for a machine that no entry fits and that is there all the same.
	Entry              string
	Region, Zone, Type string
	Labels             map[string]string
	// InternalIPs count where the kubelet has no --node-ip.
	InternalIPs, ExternalIPs []string
}

// InventoryJudgement says whether an entry fits a Node.
type InventoryJudgement struct {
	Entry string
	Fits  bool
	// Why completes "it fits, " or "it does not fit, ".
	Why string
}

// Where the keys of an Inventory stand.
const (
	InventoryTop     = "Inventory"
	InventoryMachine = "machines[]"
)

// InventoryWhose returns the keys of an entry that say which Nodes it is about. It has exactly one of them.
func InventoryWhose() []string { return []string{"name", "names", "selector"} }

// InventoryKeys returns the keys of the file of an Inventory, in the order in which people read them.
func InventoryKeys() []ConfigKey {
	const either = "Exactly one of `name`, `names` and `selector` is needed."
	return []ConfigKey{
		{Section: InventoryTop, Name: "apiVersion", Type: "text", Doc: "`" + InventoryVersion + "`."},
		{Section: InventoryTop, Name: "kind", Type: "text", Doc: "`" + InventoryKind + "`."},
		{Section: InventoryTop, Name: "region", Type: "text", Doc: "Region of every machine whose entry has none."},
		{Section: InventoryTop, Name: "zone", Type: "text", Doc: "Zone of every machine whose entry has none."},
		{Section: InventoryTop, Name: "others", Type: "bool", Default: "false", Doc: "Whether Nodes that no entry fits are machines too, with `region` and `zone` alone. Otherwise they wait."},
		{Section: InventoryTop, Name: "machines", Type: "list", Doc: "The machines. Of the entries that fit a Node the first one counts."},
		{Section: InventoryMachine, Name: "name", Type: "text", Doc: "Name of the Node. " + either},
		{Section: InventoryMachine, Name: "names", Type: "text", Doc: "Names of Nodes, such as `rack2-*`: `*` stands for any characters, `?` for one, `[ab]` for one of them. " + either},
		{Section: InventoryMachine, Name: "selector", Type: "text", Doc: "Labels that Nodes have, as `kubectl get nodes --selector` takes them. " + either},
		{Section: InventoryMachine, Name: "region", Type: "text", Doc: "Label `topology.kubernetes.io/region`, written when the Node is initialised."},
		{Section: InventoryMachine, Name: "zone", Type: "text", Doc: "Label `topology.kubernetes.io/zone`, written when the Node is initialised."},
		{Section: InventoryMachine, Name: "type", Type: "text", Doc: "Label `node.kubernetes.io/instance-type`, written when the Node is initialised."},
		{Section: InventoryMachine, Name: "internalIPs", Type: "list of IP addresses", Doc: "InternalIPs of a Node whose kubelet has no `--node-ip`. Only with `name`."},
		{Section: InventoryMachine, Name: "externalIPs", Type: "list of IP addresses", Doc: "ExternalIPs. Machines behind one router may share them."},
		{Section: InventoryMachine, Name: "labels", Type: "labels", Doc: "Further labels, written when the Node is initialised. None of a prefix of `kubernetes.io` or `k8s.io`."},
	}
}

// What a file of an Inventory says of itself.
const (
	InventoryVersion = "static.multicloud-ccm.io/v1"
	InventoryKind    = "Inventory"
)

// InventoryExample is such a file, for the documents.
const InventoryExample = `apiVersion: ` + InventoryVersion + `
kind: ` + InventoryKind + `
region: home                 # of every machine that has none
others: false                # true: Nodes that no entry fits are static too
machines:                    # first that fits; one of name, names, selector
- {name: nas-1, zone: cellar, type: n100,
   externalIPs: [203.0.113.7], labels: {disk: hdd}}
- {names: "rack2-*", zone: rack2, type: r640}
- {selector: "site=office", zone: office}
`
