package cloud

import "strings"

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

// UIDName is the name that the cloud provider of Kubernetes gave a balancer: "a" and the Service's UID
// without dashes, cut to 32 characters. Of the UID's 32 hexadecimal digits 31 are in it, so that it is
// as good as the UID itself.
func UIDName(uid string) string {
	name := "a" + strings.ReplaceAll(uid, "-", "")
	return name[:min(len(name), 32)]
}

// String returns "namespace/name".
func (o Owner) String() string { return o.Namespace + "/" + o.Name }
