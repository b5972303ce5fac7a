package framework

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	controllermanagerapp "k8s.io/controller-manager/app"
)

// Enabled says of each controller whether it runs with these values of --controllers. They are read
// as the framework reads them: old names count, and a name that is none is an error.
func Enabled(values []string) (map[string]bool, error) {
	aliases, known := Aliases(), slices.Sorted(maps.Keys(controllers))
	canonical := make([]string, len(values))
	for n, value := range values {
		name, off := strings.CutPrefix(value, "-")
		if real, ok := aliases[name]; ok {
			name = real
		}
		if value != "*" && !slices.Contains(known, name) {
			return nil, fmt.Errorf("--controllers: %q is no controller: want * or names, with - before those that are off: %s", value, strings.Join(known, ", "))
		}
		canonical[n] = name
		if off {
			canonical[n] = "-" + name
		}
	}
	byDefaultOff := sets.NewString(TaggingController)
	enabled := make(map[string]bool, len(known))
	for _, name := range known {
		enabled[name] = controllermanagerapp.IsControllerEnabled(name, byDefaultOff, canonical)
	}
	return enabled, nil
}
