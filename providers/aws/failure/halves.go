package failure

// Halves makes a call for all items. AWS refuses all for one of them that is not there: then the call is made for
// each half, and alone is told of each that is refused by itself.
func Halves[T any](items []T, blames func(error) bool, call func([]T) error, alone func(T, error)) error {
	err := call(items)
	switch {
	case !blames(err):
		return err
	case len(items) == 1:
		alone(items[0], err)
		return nil
	}
	half := (len(items) + 1) / 2
	if err := Halves(items[:half], blames, call, alone); err != nil {
		return err
	}
	return Halves(items[half:], blames, call, alone)
}
