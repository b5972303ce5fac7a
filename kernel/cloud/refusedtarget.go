package cloud

import "errors"

// TargetsRefused is the error of a request that the cloud refused for machines that were to become targets, or for their
// number. The kernel lets the others in: it leaves out those that the answer names, else it asks for halves. A driver says which
// of its errors are of that kind.
type TargetsRefused struct {
	// Asked are the machines that the request was to make targets, nil where they are all new ones of the change. Of a Composite the
	// kernel knows them, see Resource.Machine.
	Asked []InstanceID
	// Named are those of them that the answer names, nil where it names none.
	Named []InstanceID
	// TooMany says that no machine is at fault, but their number.
	TooMany bool
	// Perhaps says that the request was about more than targets, and the answer does not say what it was refused for.
	Perhaps bool
	// Text is what people are told: what the cloud says, without what is another one in each answer.
	Text string
	Err  error
}

func (e *TargetsRefused) Error() string { return e.Err.Error() }

func (e *TargetsRefused) Unwrap() error { return e.Err }

// ForTargets returns the error, marked as TargetsRefused where it is for targets of the change, none of which the answer names.
func ForTargets(err error, is bool) error {
	if err == nil || !is {
		return err
	}
	return &TargetsRefused{Err: err}
}

// RefusedTargets returns all TargetsRefused of an error.
func RefusedTargets(err error) []*TargetsRefused {
	switch e := err.(type) { //nolint:errorlint // it goes through the tree by itself
	case *TargetsRefused:
		return []*TargetsRefused{e}
	case interface{ Unwrap() []error }:
		var all []*TargetsRefused
		for _, one := range e.Unwrap() {
			all = append(all, RefusedTargets(one)...)
		}
		return all
	}
	if inner := errors.Unwrap(err); inner != nil {
		return RefusedTargets(inner)
	}
	return nil
}
