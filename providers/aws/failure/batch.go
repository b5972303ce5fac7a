package failure

import "slices"

// Batches makes a call for at most so many items at a time. AWS refuses all for one of them that is not there: then the call is
// made for each half, and alone is told of each that is refused by itself.
func Batches[T any](items []T, most int, blames func(error) bool, call func([]T) error, alone func(T, error)) error {
	for batch := range slices.Chunk(items, most) {
		if err := halves(batch, blames, call, alone); err != nil {
			return err
		}
	}
	return nil
}

func halves[T any](items []T, blames func(error) bool, call func([]T) error, alone func(T, error)) error {
	err := call(items)
	switch {
	case !blames(err):
		return err
	case len(items) == 1:
		alone(items[0], err)
		return nil
	}
	half := (len(items) + 1) / 2
	if err := halves(items[:half], blames, call, alone); err != nil {
		return err
	}
	return halves(items[half:], blames, call, alone)
}
