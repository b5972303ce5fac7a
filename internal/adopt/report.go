package adopt

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Version is that of a Report's JSON form. It changes when a program that reads the old form could be
// misled by the new one; fields may be added without that.
const Version = 1

// Verdict is what the switch amounts to.
type Verdict string

// The verdicts.
const (
	// Nothing is written.
	Nothing Verdict = "nothing"
	// OwnershipTags says that tags are written, which say whose something is, and nothing else.
	OwnershipTags Verdict = "marks"
	// Changes are made besides, or load balancers would get the tags of another cluster.
	Changes Verdict = "changes"
	// Trouble means that something could not be read or planned.
	Trouble Verdict = "trouble"
)

// Report is what a switch is going to do.
type Report struct {
	Version int `json:"version"`
	// Cloud is the name of the cloud entry, From that of the upstream controller manager.
	Cloud   string  `json:"cloud"`
	From    string  `json:"from"`
	Guide   string  `json:"guide"`
	Verdict Verdict `json:"verdict"`
	Summary Summary `json:"summary"`
	// OtherClusters are other clusters on the ownership tags of our Services' load balancers, and of all that were found
	// where none names this one: --cluster-name or --cluster-id is most likely wrong.
	OtherClusters []string `json:"otherClusters,omitempty"`
	// NotLooked is what was not looked at, and why, "" when it was all.
	NotLooked string `json:"notLooked,omitempty"`
	// Balancers are all Services that ask for a load balancer, by name, each with the one it has.
	Balancers []Balancer `json:"balancers"`
	// OwnershipTags are those that are written, in the order of execution.
	OwnershipTags []OwnershipTag `json:"marks"`
	// Plans are everything else that is done or said, in the order of execution.
	Plans []plan.Entry `json:"plans"`
	// Differences are what is done otherwise from the switch on, by subject.
	Differences []Difference `json:"differences"`
}

// Summary counts what a Report has.
type Summary struct {
	Nodes int `json:"nodes"`
	// Services are those that ask for a load balancer, Paired those that have one.
	Services int `json:"services"`
	Paired   int `json:"paired"`
	// WithoutCluster are load balancers whose ownership tags name no cluster yet. The first change writes it.
	WithoutCluster int `json:"withoutCluster,omitempty"`
	// OwnershipTags is how many load balancers get ownership tags, Changes are all other operations.
	OwnershipTags int `json:"marks"`
	Changes       int `json:"changes"`
	// Blocked are operations that were asked for and will not be made.
	Blocked int `json:"blocked"`
	// Failed is how many subjects could not be read or planned whole.
	Failed      int `json:"failed"`
	Differences int `json:"differences"`
}

// Balancer is a Service with its load balancer.
type Balancer struct {
	// Service is NAMESPACE/NAME.
	Service string `json:"service"`
	// ID is "" when there is none that the Service may have.
	ID        string   `json:"id,omitempty"`
	Name      string   `json:"name,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	// Evidence says what led to it, and why it is the Service's.
	Evidence []string `json:"evidence,omitempty"`
	// Refused are what the Service names and may not have.
	Refused []string `json:"refused,omitempty"`
	// Error says why it is not known.
	Error *plan.Failure `json:"error,omitempty"`
}

// OwnershipTag is a write that says whose a load balancer is.
type OwnershipTag struct {
	Subject string `json:"subject"`
	// Added and Removed are the ownership tags one by one, as the cloud has them.
	Added   []string `json:"added"`
	Removed []string `json:"removed,omitempty"`
	// Operation is the change as `plan` prints it.
	Operation cloud.Operation `json:"operation"`
	// Steps are the changes of single resources that it amounts to, where the load balancer consists of
	// several.
	Steps []cloud.Operation `json:"steps,omitempty"`
}

// Difference is something that is done otherwise than upstream does it.
type Difference struct {
	// Subject is "Node NAME", "Service NAMESPACE/NAME", "Routes" or "Firewall".
	Subject string `json:"subject"`
	// ID is what programs know it by.
	ID   string `json:"id"`
	Text string `json:"text"`
	// Link is the paragraph of the guide that says more.
	Link string `json:"link"`
}

// conclude counts and judges what was found.
func (r *Report) conclude() {
	s := &r.Summary
	s.Services, s.OwnershipTags, s.Differences = len(r.Balancers), len(r.OwnershipTags), len(r.Differences)
	failed := map[string]bool{}
	for _, b := range r.Balancers {
		if b.ID != "" {
			s.Paired++
		}
		if b.Error != nil {
			failed["Service "+b.Service] = true
		}
	}
	for _, e := range r.Plans {
		executable := len(e.Executable())
		s.Changes += executable
		s.Blocked += len(e.Operations) - executable
		if e.Error != nil {
			failed[e.Subject] = true
		}
	}
	s.Failed = len(failed)
	switch {
	case s.Failed > 0:
		r.Verdict = Trouble
	case s.Changes > 0, len(r.OtherClusters) > 0:
		r.Verdict = Changes
	case s.OwnershipTags > 0:
		r.Verdict = OwnershipTags
	default:
		r.Verdict = Nothing
	}
}
