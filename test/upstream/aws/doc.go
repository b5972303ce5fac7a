// Package upstream names AWS's own CCM, k8s.io/cloud-provider-aws, as a tool of a module of its own: it needs other
// versions of libraries than we do. test/e2e/upstream builds it and sets it beside this CCM: `make upstream-aws`.
package upstream
