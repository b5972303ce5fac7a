// Package gce drives Google Cloud: Compute Engine instances as nodes, and routes to their pods. It reads the gce.conf of the
// upstream cloud controller manager and writes the same provider-IDs. Load balancers
// are not here yet.
package gce
