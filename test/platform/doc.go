// Package platform checks deploy/platform, the configuration that makes the kubelets of
// kubeadm, k3s, RKE2, Talos and k0s wait for an external cloud provider. It is a module of
// its own because kubeadm's types need Kubernetes itself, of the version that
// test/controlplane builds.
//
// kubeadm's files are read with kubeadm's types, RKE2's HelmChart with those of its controller.
// The Go modules of k3s, RKE2, Talos and k0s could not be had from the module proxy;
// shapes_test.go lists the keys their files may have.
package platform
