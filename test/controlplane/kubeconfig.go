package controlplane

import (
	"fmt"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ClientKubeconfig issues a client certificate for a user, who is in groups,
// and returns the path of a kubeconfig with it, name.kubeconfig. What the user
// may do is up to RBAC, which knows the users of Kubernetes' own programs, such
// as "system:kube-proxy".
func (cp *ControlPlane) ClientKubeconfig(name, user string, groups ...string) (string, error) {
	c, err := cp.ca.client(user, groups...)
	if err != nil {
		return "", err
	}
	return cp.writeKubeconfig(name, certificateUser(c))
}

// CA returns the certificate of the authority that issues all others, PEM.
func (cp *ControlPlane) CA() []byte { return cp.ca.pem }

// writeKubeconfig writes a kubeconfig for user, complete in itself, to
// name.kubeconfig in the control plane's directory and returns its path.
func (cp *ControlPlane) writeKubeconfig(name string, user *clientcmdapi.AuthInfo) (string, error) {
	const cluster = "multicloud-ccm-test"
	config := clientcmdapi.NewConfig()
	config.Clusters[cluster] = &clientcmdapi.Cluster{
		Server:                   cp.URL(),
		CertificateAuthorityData: cp.ca.pem,
	}
	config.AuthInfos[name] = user
	config.Contexts[name] = &clientcmdapi.Context{Cluster: cluster, AuthInfo: name}
	config.CurrentContext = name
	path := filepath.Join(cp.dir, name+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return "", fmt.Errorf("write the kubeconfig of %s: %w", name, err)
	}
	return path, nil
}
