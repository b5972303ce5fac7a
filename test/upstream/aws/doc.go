// Package upstream names AWS's own CCM, k8s.io/cloud-provider-aws, as a tool of a module of its own, whose
// replacements are that program's. test/e2e/upstream builds it and sets it beside this CCM: `make upstream-aws`.
package upstream
