// Package cloud is the vocabulary between the kernel and a cloud's driver: what a
// cloud can be asked (Driver), what it answers (Instance, Observed, Route), what it is
// told to do (Change) and how it fails (Failure).
//
// It holds no behaviour beyond small, pure operations on its own types and imports
// nothing but the standard library, so that a driver can live in a repository of its own.
package cloud
