package controlplane

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// KubernetesEnv names the Kubernetes of all control planes that a test starts, in the place of the pinned one: a minor version
// that a folder of minors pins, such as 1.33, "oldest" for the first of them, which is the oldest that the chart accepts, or "previous"
// for the last one. That is about the API server alone: the rest of a control plane is the pinned one's.
const KubernetesEnv = "E2E_KUBERNETES"

// OlderMinorVersions returns the minor versions that [KubernetesEnv] can name, from the oldest on, such as 1.30.
func OlderMinorVersions() ([]string, error) {
	source, err := sourceDir()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(source, "minors", "1.*", "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("looking for older Kubernetes versions: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("looking for older Kubernetes versions: there are none in %s/minors", source)
	}
	var versions []string
	for _, file := range files {
		versions = append(versions, filepath.Base(filepath.Dir(file)))
	}
	slices.SortFunc(versions, func(a, b string) int {
		return cmp.Compare(version.MustParseGeneric(a).Minor(), version.MustParseGeneric(b).Minor())
	})
	return versions, nil
}

// olderAPIServer is the API server that a module pins. Its name has its version: the key of the cache is
// about the pinned programs alone.
func olderAPIServer(source, module string) (program, error) {
	p := program{"", apiServerPackage, module, "k8s.io/kubernetes"}
	pinned, err := p.version(source)
	p.name = apiServer + "-" + pinned
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
	versions, err := OlderMinorVersions()
	if err != nil {
		return o, err
	}
	switch value {
	case "oldest":
		value = versions[0]
	case "previous":
		value = versions[len(versions)-1]
	}
	if !slices.Contains(versions, value) {
		return o, fmt.Errorf("%s is %q; it has to be one of oldest, previous, %s, or not set", KubernetesEnv, value, strings.Join(versions, ", "))
	}
	o.older = path.Join("minors", value)
	return o, nil
}
