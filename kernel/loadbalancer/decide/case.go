// Package decide says what comes next for the load balancer of a Service: which fact is looked for, or what is done. It does no I/O.
//
//	case     what a decision depends on
//	action   what can be decided
//	next     which fact is missing, and what is done when none is
//	choose   what is done with the facts that are there
//	desired  the load balancer that the Service asks for, as far as the cloud lets it be changed, and what is said of address families
//	replace  another load balancer in the place of this one, or beside it until it takes its place
package decide

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Case is all that a decision depends on. It is data: to decide reads nothing and writes nothing.
type Case struct {
	Subject
	Facts Facts
	// Live says that changes are really made, and Forecast that nothing is done with the decision: that the cloud is busy does not
	// matter then.
	Live, Forecast bool
}

// Subject is the Service that is decided about, as far as nothing has to be looked for: what it asks for, its cloud, and what
// former runs left.
type Subject struct {
	Asked  *request.Request
	Cloud  *run.Cloud
	Memory *state.Service
}

// Facts are what was found out for a decision. What is nil or false was not looked for.
type Facts struct {
	// Candidates are the machines that can become targets, which are always known. Proved says that they tell which of the present
	// targets may go.
	Candidates target.Candidates
	Proved     bool
	// Balancer is the Service's load balancer; Found is false when there is none. FromList says that a bulk list showed it.
	Balancer *cloud.Observed
	FromList bool
	// Conflicts are what the Service names and may not have.
	Conflicts []problem.Warning
	// Clusters are those that ownership tags of the balancers name which were found, and passed over where they are not the
	// Service's.
	Clusters []string
	// Steps are the differences of single resources, where the portable view shows none.
	Steps *[]cloud.Operation
	// Successor is the load balancer beside the present one, which takes its place.
	Successor *cloud.Observed
	// Answer is what the cloud says of a load balancer before it is made.
	Answer *Answer
	// Refused is why the cloud has refused the one that is made in the place of a deleted one, nil when it has not.
	Refused error
}

// Answer is what the cloud says of a load balancer before it is made.
type Answer struct {
	// Problems are why it would refuse it, nil when it would not.
	Problems []problem.Warning
	// Unknown says that it did not tell.
	Unknown bool
}
