package app

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// server are the flags that say which API server is asked, and as whom. They have the names that kubectl has for them.
type server struct{ kubeconfig, context string }

func (s *server) flags(fs *pflag.FlagSet) {
	fs.StringVar(&s.kubeconfig, "kubeconfig", "", "Path of a kubeconfig file. When empty, the pod's own service account and, outside of a pod, what kubectl uses.")
	fs.StringVar(&s.context, "context", "", "The context of the kubeconfig. When empty, its current one.")
}

// inPod reports whether this runs where the controller manager does.
func (s *server) inPod() bool { return !s.named() && os.Getenv("KUBERNETES_SERVICE_HOST") != "" }

// named reports whether the flags say where the API server is.
func (s *server) named() bool { return s.kubeconfig != "" || s.context != "" }

// access says how to reach the API server.
func (s *server) access() (*rest.Config, error) {
	access, err := rest.InClusterConfig()
	if s.named() || errors.Is(err, rest.ErrNotInCluster) {
		access, err = s.ofFile()
	}
	switch {
	case err != nil && s.kubeconfig != "":
		return nil, usagef("--kubeconfig=%s: %v", s.kubeconfig, err)
	case clientcmd.IsEmptyConfig(err):
		if files := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); files != "" {
			if !slices.ContainsFunc(filepath.SplitList(files), exists) {
				return nil, usagef("--kubeconfig is not set, this is not a pod, and KUBECONFIG=%s does not exist: name a file that does", files)
			}
			return nil, usagef("--kubeconfig is not set, this is not a pod, and KUBECONFIG=%s has no cluster: name a file that has one", files)
		}
		return nil, usagef("--kubeconfig is not set, this is not a pod, and there is no configuration of kubectl: set --kubeconfig")
	case err != nil:
		return nil, fmt.Errorf("reading how to reach the API server: %w", err)
	}
	access.UserAgent, access.Timeout = userAgent(), cloud.CallTimeout
	return access, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rules say where kubeconfig files are.
func (s *server) rules() *clientcmd.ClientConfigLoadingRules {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = s.kubeconfig
	return rules
}

// client reaches the API server.
func (s *server) client() (kubernetes.Interface, error) {
	access, err := s.access()
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return nil, fmt.Errorf("connecting with the API server: %w", err)
	}
	return client, nil
}

// ofFile says what a kubeconfig says, and nothing else: not the service account of a Pod where it has no such context.
func (s *server) ofFile() (*rest.Config, error) {
	rules := s.rules()
	file, err := rules.Load()
	if err != nil {
		return nil, err
	}
	if s.context != "" && file.Contexts[s.context] == nil {
		meant := didYouMean(near(s.context, slices.Collect(maps.Keys(file.Contexts))))
		return nil, usagef("--context=%s is not in the kubeconfig%s", s.context, cmp.Or(meant, "; those that are: kubectl config get-contexts"))
	}
	return clientcmd.NewNonInteractiveClientConfig(*file, s.context, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
}
