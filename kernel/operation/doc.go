// Package operation follows changes that go on in the cloud after its answer. It asks for the states of
// all of them together, however many Services they are of.
package operation
