package run

import (
	"fmt"
	"runtime/debug"
)

// Panic is the error a contained panic becomes. Its text does not have the stack.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Contain calls f and turns a panic into a *Panic error. It is for pure driver methods that
// Decorate cannot contain because they have no error result.
func Contain[T any](f func() T) (T, error) {
	return contain(func() (T, error) { return f(), nil })
}

func contain[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{Value: value, Stack: debug.Stack()}
		}
	}()
	return f()
}
