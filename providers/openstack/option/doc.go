// Package option declares the annotations of a Service, and what the configuration says in their place.
package option
