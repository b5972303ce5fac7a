// Package view shows the controllers of k8s.io/cloud-provider the Nodes and Services that are theirs: filtered,
// with bursts joined, and with what is never repeated repeated.
package view
