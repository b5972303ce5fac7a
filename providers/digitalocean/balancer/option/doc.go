// Package option is what a Service can ask for on DigitalOcean: the annotations, and their values.
package option
