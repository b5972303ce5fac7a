// Package gce emulates the part of Google's Compute API v1 that a cloud-controller-manager uses,
// with the OAuth endpoints and the metadata server around it, over real HTTP. What a request may
// say is checked against the API's own discovery document (package discovery); what the document
// does not say are rules written by hand, each with its source or "guess" (type Rule). README.md
// lists both.
//
//	server := gce.New(gce.Options{})
//	url, err := server.Listen("127.0.0.1:0")
//	defer server.Close()
//	instances := server.SeedInstances(3)
//
// The API is at url + "/compute/v1/". Links in answers name the real API's host, as the real API's
// do whatever endpoint was asked; in requests any host is taken.
package gce
