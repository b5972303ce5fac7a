// Package faketest is for tests, and not read.
package faketest

type Machines struct{}

func (Machines) Find() {}
