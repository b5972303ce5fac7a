// Package object translates between the load balancers of the API and those of the kernel. Its table of fields has the annotations that ask for them. It makes no request.
package object
