package controlplane

import (
	"fmt"
	"os"
)

// Oldest as the value of the environment variable [KubernetesEnv] means the API server of the oldest
// Kubernetes that the chart accepts, in the place of the pinned one.
const Oldest = "oldest"

// KubernetesEnv names the Kubernetes of all control planes that a test starts; see [Oldest]. The rest of a
// control plane is the pinned one's.
const KubernetesEnv = "E2E_KUBERNETES"

// oldestAPIServer is the API server that package oldest pins. Its name has its version: the key of the
// cache is about the pinned programs alone.
func oldestAPIServer(source string) (program, error) {
	p := program{"", apiServerPackage, "oldest", "k8s.io/kubernetes"}
	version, err := p.version(source)
	p.name = apiServer + "-" + version
	return p, err
}

// choose returns the programs of the given names, with another API server where opts want one.
func choose(opts Options, source string, names []string) ([]program, error) {
	var chosen []program
	for _, name := range names {
		for _, p := range programs {
			if p.name != name {
				continue
			}
			if name == apiServer && opts.oldest {
				var err error
				if p, err = oldestAPIServer(source); err != nil {
					return nil, err
				}
			}
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// kubernetes reads which Kubernetes the environment asks for.
func (o Options) kubernetes() (Options, error) {
	switch value := os.Getenv(KubernetesEnv); value {
	case "":
		return o, nil
	case Oldest:
		o.oldest = true
		return o, nil
	default:
		return o, fmt.Errorf("%s is %q; it has to be %q or not set", KubernetesEnv, value, Oldest)
	}
}
