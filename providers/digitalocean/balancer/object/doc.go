// Package object translates between the load balancers of the API and those of the kernel. It knows no annotation, and makes no request.
package object
