package cloud

import "strings"

// InstanceID is the cloud's own id of a machine, without scheme: "123", "i-0abc".
type InstanceID string

// unknown marks ids that are none.
const unknown = "?"

// UnknownInstance is the target of a balancer at an address. Observed.Resolve finds the
// machine that has it. What follows a "#" says what is not as it should be with that target, so
// that it is replaced.
func UnknownInstance(address string) InstanceID { return InstanceID(unknown + address) }

// Unknown reports whether the id is of an UnknownInstance.
func (id InstanceID) Unknown() bool { return strings.HasPrefix(string(id), unknown) }

// described marks ids of machines that only their Node describes.
const described = "="

// DescribedInstance is the id of a machine that only its Node describes, see Describer. No cloud is ever
// asked for it.
func DescribedInstance(name string) InstanceID { return InstanceID(described + name) }

// Described reports whether the id is of a DescribedInstance.
func (id InstanceID) Described() bool { return strings.HasPrefix(string(id), described) }

// NodeAttributes is what a Node says of its machine.
type NodeAttributes struct {
	Name string
	// ProviderID is "" until the Node is initialised, unless its kubelet was told one.
	ProviderID string
	// Labels and Annotations are not changed. The kubelet's --node-ip is the annotation
	// alpha.kubernetes.io/provided-node-ip.
	Labels, Annotations map[string]string
	// Addresses are those the Node has: at first its kubelet's, later those of the Instance.
	Addresses []Address
}

// Instance is a machine.
type Instance struct {
	ID InstanceID
	// ProviderID is exactly the form the upstream CCM writes; it can never change.
	ProviderID string
	Name       string
	// Type is the size or flavor; it becomes node.kubernetes.io/instance-type.
	Type   string
	Region string
	Zone   string
	State  State
	// Addresses are in the order in which they shall appear on a new Node. One that is initialised keeps its order.
	Addresses []Address
	// Labels are added to the Node when it is initialised.
	Labels map[string]string
	// Attributes are what else the driver needs to know of a machine that is a target, such as its
	// security groups. Keys are the driver's own.
	Attributes map[string]string
}

// InstanceList is the answer to Instances.List.
type InstanceList struct {
	Items    []Instance
	Complete bool
	// Err is why an incomplete list is, for people, or nil.
	Err error
}

// GetEach is Instances.Get where each machine takes requests of its own. read returns one of them; the zero Instance, or one
// of another id, is a definite not-found.
func GetEach(ids []InstanceID, read func(id InstanceID) (Instance, error)) (map[InstanceID]Instance, error) {
	found := map[InstanceID]Instance{}
	for _, id := range ids {
		i, err := read(id)
		if err != nil {
			return nil, err
		}
		if i.ID == id {
			found[id] = i
		}
	}
	return found, nil
}

// State is the power state of a machine.
type State string

// Power states. Only StateStopped makes a Node shut down.
const (
	// StateUnknown is that of a machine in a list which does not tell it. Instances.Get does, and is asked when a
	// Node may be shut down, once in a few minutes.
	StateUnknown State = ""
	StatePending State = "pending"
	StateRunning State = "running"
	StateStopped State = "stopped"
)

// AddressType says how an address is reached; the values are those of a Node's status.
type AddressType string

// Address types (k8s.io/api/core/v1 NodeAddressType).
const (
	AddressHostname    AddressType = "Hostname"
	AddressInternalIP  AddressType = "InternalIP"
	AddressExternalIP  AddressType = "ExternalIP"
	AddressInternalDNS AddressType = "InternalDNS"
	AddressExternalDNS AddressType = "ExternalDNS"
)

// Address is one address of a machine.
type Address struct {
	Type    AddressType
	Address string
}
