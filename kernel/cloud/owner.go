package cloud

// Owner is what the marks on a cloud object claim. Every object we create carries all
// fields; an upstream CCM's objects carry what upstream wrote, the rest is zero.
type Owner struct {
	// Cluster is the cluster id.
	Cluster   string
	Namespace string
	Name      string
	// UID is the Service's UID: the only field that is proof on its own.
	UID string
	// Cloud is the name of the cloud entry in the configuration.
	Cloud string
}

// String returns "namespace/name".
func (o Owner) String() string { return o.Namespace + "/" + o.Name }
