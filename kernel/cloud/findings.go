package cloud

import "reflect"

// Findings are what Observe found out for Normalize and for changes, such as the id of a certificate given by name. They have the driver's own
// type, see FindingsOf, and the kernel passes them on. The zero value is none.
type Findings struct{ of any }

// Equal reports whether the same was found out.
func (f Findings) Equal(other Findings) bool { return reflect.DeepEqual(f, other) }

// FindingsOf makes findings of a driver's own type F, and opens them. Findings are shared: nobody changes what is in them.
type FindingsOf[F any] struct{}

// Seal hands the driver's findings over.
func (FindingsOf[F]) Seal(found F) Findings { return Findings{found} }

// Open returns what was handed over, the zero value where nothing was. It panics where that has another type: such is a mistake in the driver.
func (FindingsOf[F]) Open(f Findings) (found F) {
	if f.of != nil {
		found = f.of.(F)
	}
	return found
}
