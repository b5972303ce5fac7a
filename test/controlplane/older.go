package controlplane

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// KubernetesEnv names the Kubernetes of all control planes that a test starts, one of [olderModules], in the
// place of the pinned one. That is about the API server alone: the rest of a control plane is the pinned one's.
const KubernetesEnv = "E2E_KUBERNETES"

// olderModules are the values of [KubernetesEnv], each with the nested module that pins its API server.
var olderModules = map[string]string{
	"oldest":   "oldest",   // the oldest that the chart accepts
	"previous": "previous", // the minor version before the pinned one
}

// olderAPIServer is the API server that a module pins. Its name has its version: the key of the cache is
// about the pinned programs alone.
func olderAPIServer(source, module string) (program, error) {
	p := program{"", apiServerPackage, module, "k8s.io/kubernetes"}
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
			if name == apiServer && opts.older != "" {
				var err error
				if p, err = olderAPIServer(source, opts.older); err != nil {
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
	value := os.Getenv(KubernetesEnv)
	if value == "" {
		return o, nil
	}
	module, ok := olderModules[value]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(olderModules)), ", ")
		return o, fmt.Errorf("%s is %q; it has to be one of %s, or not set", KubernetesEnv, value, names)
	}
	o.older = module
	return o, nil
}
