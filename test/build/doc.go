// Package build holds the tests of the repository as a whole: who imports whom, where every provider has to be
// named, and whether documents, the tutorial and the Makefile say what is so.
package build
