// Package annotation declares what users can write on a Service: each key once, with its
// type, default, validation and documentation. Parsing reports every problem of a Service
// at once; docs/reference is generated from the same declarations.
package annotation
