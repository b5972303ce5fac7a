// Package install installs the Helm chart on a cluster of package cluster: with the real helm,
// the image that `make image` builds, and a cloud of this machine whose machines are the nodes.
//
// The cloud is reached by a name that only the nodes' resolver knows, as clouds are before
// CoreDNS runs.
package install
