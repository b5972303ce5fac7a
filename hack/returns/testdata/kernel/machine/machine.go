// Package machine implements an interface of another package.
package machine

type Store struct{}

func (*Store) Find() {}

// Shares has the Find of another type.
type Shares struct{ *Store }
