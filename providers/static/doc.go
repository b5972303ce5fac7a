// Package static is the driver of machines that no API knows: bare metal, Vagrant, machines at home. A Node describes its machine
// itself. No request is sent, and no credentials are needed. Nobody can prove that such a machine is gone: its Node is never deleted
// and never shut down.
//
//	descriptor.go  what the provider is (Descriptor), its settings
//	driver.go      how a driver is built (New), and the answers of a cloud that has no API
//	node.go        the machine that a Node describes
package static
