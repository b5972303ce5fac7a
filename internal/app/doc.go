// Package app holds the commands of the binary: the controller manager itself and the
// sub-commands that need no cluster. Main is all that a main package calls.
package app
