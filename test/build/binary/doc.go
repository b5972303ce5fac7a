// Package binary tests the program as it is built: its size, the libraries in it and its command line.
package binary
