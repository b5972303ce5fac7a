// Package gce drives Google Cloud: Compute Engine instances as nodes. It reads the gce.conf of the
// upstream cloud controller manager and writes the same provider-IDs. Load balancers and routes are
// not here yet.
package gce
