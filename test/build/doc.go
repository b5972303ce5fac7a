// Package build holds the tests of the binary as a build result: its size, what is linked
// into it, who imports whom, and what its command line says.
package build
