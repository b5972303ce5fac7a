package annotation

import (
	"errors"
	"fmt"
	"slices"
)

// Validate returns everything that is wrong with the declarations themselves. The
// conformance suite asks it of every driver.
func (s Set) Validate() error {
	var errs []error
	owner := map[string]string{}
	for _, key := range s {
		if err := key.validate(); err != nil {
			errs = append(errs, fmt.Errorf("key %q: %w", key.Name, err))
		}
		for _, spelling := range key.Spellings() {
			if other, taken := owner[spelling]; taken {
				errs = append(errs, fmt.Errorf("key %q: %q is a spelling of %q too", key.Name, spelling, other))
			}
			owner[spelling] = key.Name
		}
	}
	return errors.Join(errs...)
}

var types = []Type{TypeString, TypeBool, TypeInt, TypeEnum, TypeList, TypePorts, TypeDuration, TypePresence}

func (k Key) validate() error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(slices.Contains(k.Spellings(), ""), "a spelling is empty")
	refuse(k.Doc == "", "it has no documentation")
	refuse(!slices.Contains(types, k.Type), "type %q is not known", k.Type)
	refuse((k.Type == TypeEnum) != (len(k.Enum) > 0), "type %s with the values %q", k.Type, k.Enum)
	refuse(k.Min > k.Max, "no number is between %d and %d", k.Min, k.Max)
	refuse(k.Type != TypeInt && k.Type != TypeDuration && k.Max != 0, "bounds on type %s", k.Type)
	if k.Type == TypePresence {
		refuse(k.Default != "", "the default of a presence")
		return errors.Join(errs...)
	}
	canonical, ok := k.canonical(k.Name, k.Default)
	if k.Aliased != nil && k.Default != "" && !ok {
		canonical, ok = k.Aliased(k.Default)
	}
	refuse(!ok, "its default %q is not valid", k.Default)
	refuse(ok && canonical != k.Default, "its default %q has the canonical form %q", k.Default, canonical)
	return errors.Join(errs...)
}
