// Package upstream runs the code of Google's own CCM, k8s.io/cloud-provider-gcp/providers, against
// the emulator of the Compute API. That the emulator refuses nothing that this code sends is the
// nearest thing to a check against the real API; what it costs is what a replacement is compared
// with. It is a module of its own, as it needs Kubernetes' libraries of another version, and takes
// minutes to compile: `make upstream-gce`.
package upstream
