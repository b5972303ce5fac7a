// Package route keeps the routes to pods on a router of Neutron.
package route
