// Package api stands for the SDK of the simulated cloud: the objects of its API, its failures and a client.
package api
