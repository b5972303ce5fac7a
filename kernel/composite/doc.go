// Package composite changes load balancers that consist of several resources:
//
//	present resources ─┐
//	wanted resources ──┴─▶ model ─▶ plan: steps in their order ─▶ run: the driver's requests
//
// The kernel compares and orders here, for every cloud; the driver names the resources and carries
// out one step at a time. The steps of a change, in their order:
//
//	1  in the order of the kinds: each resource that is not there is made, after those it refers
//	   to; fields that differ are changed; a resource whose immutable field differs is deleted and
//	   made again, after a trial where it has one; what has a unique value that another one needs
//	   gets another value first
//	2  resources that are not wanted are deleted, in the opposite order, each after those that
//	   refer to it
//	3  fields that change last; of a balancer that its Service gives up, the ownership tags
//
// Where the cloud refuses a step, those that need what was refused are left out, see refuse.go.
//
// A run ends with the first step after which the cloud is busy. The next run observes and goes on,
// so a crash costs nothing. Where the driver tells when the balancer has settled, the next steps of its parts follow
// without a look, and so does what the answer to a creation says enough for.
package composite
