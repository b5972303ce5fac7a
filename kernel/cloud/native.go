package cloud

// Native is an object of the driver's own, such as what it read of a balancer. It has the driver's own type, see NativeOf: the kernel
// passes it on and cannot look into it. The zero value is none.
type Native struct{ of any }

// IsNone reports that nothing was handed over.
func (n Native) IsNone() bool { return n.of == nil }

// NativeOf makes what is passed on of a driver's own type N, and opens it.
type NativeOf[N any] struct{}

// Seal hands the driver's object over.
func (NativeOf[N]) Seal(n N) Native { return Native{n} }

// Open returns what was handed over, the zero value where nothing was. It panics where that has another type, and says which: such is a
// mistake in the driver.
func (NativeOf[N]) Open(n Native) (opened N) {
	if !n.IsNone() {
		opened = n.of.(N)
	}
	return opened
}
