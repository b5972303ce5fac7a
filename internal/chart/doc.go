// Package chart declares everything users can set in the Helm chart, once and typed, and
// writes the parts of charts/multicloud-ccm that follow from it: values.yaml, its schema,
// the table of the README, and the data files the templates read.
//
// What a provider adds comes from its cloud.Descriptor, what a flag adds from the flag, the
// permissions from kernel/framework/rbac, and metrics in alerts from kernel/metric. A new
// provider changes no template.
package chart
