// Package firewall keeps the one packet filter in front of all nodes of a cluster: it
// computes the openings all Services need together, and writes them when they differ.
package firewall
