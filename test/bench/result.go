package bench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Result are the figures of one number of nodes in one cloud.
type Result struct {
	Cloud string `json:"cloud"`
	Nodes int    `json:"nodes"`
	// Services is how many there were; 0 where the cloud has no load balancers for so many nodes.
	Services int `json:"services"`
	// Listing is what one list of the machines costs in requests, Initialising what may be asked to
	// initialise all Nodes.
	Listing      int `json:"listing"`
	Initialising int `json:"initialising"`
	// ListsPerHour is how many lists an idle hour needs.
	ListsPerHour int `json:"listsPerHour"`
	// Deleting is how many reads deletions of all Services may take besides lists of all load balancers, one for each
	// Service where it is 0.
	Deleting int  `json:"deleting,omitempty"`
	Quota    bool `json:"quota"`

	Initialise Initialise `json:"initialise"`
	// Restart is what a second process asked before it was idle, all nodes Ready.
	Restart Calls `json:"restart"`
	// NotReady is a window with a tenth of the nodes NotReady, in which two lists are read, or one of many pages.
	NotReady Window   `json:"notReady"`
	Takeover Takeover `json:"takeover"`
	// NodesLost were deleted meanwhile, although every machine was there.
	NodesLost int  `json:"nodesLost"`
	Create    Step `json:"createServices"`
	// SecondEnsure is a restart with all Services unchanged.
	SecondEnsure Calls `json:"secondEnsure"`
	// Unchanged is an ensure of each Service that changes nothing, all of them at once.
	Unchanged Step   `json:"unchanged,omitzero"`
	Steady    Steady `json:"steady"`
	AddNodes  Step   `json:"addNodes"`
	Delete    Step   `json:"deleteServices"`
	// ReplaceAll is from the first of ten new Nodes, the machines of all ten others being gone, until the new machines are targets.
	ReplaceAll Step `json:"replaceAll,omitzero"`

	// Certificates is empty where it was not measured.
	Certificates Certificates `json:"certificates,omitzero"`

	// Burst is empty where it was not measured.
	Burst Burst `json:"burst,omitzero"`

	// PeakMemoryMB is the largest resident memory by process: initialise, default, steady, replacement.
	PeakMemoryMB map[string]float64 `json:"peakMemoryMB"`
	// Others is the share of the machine's processors that other programs and other virtual machines took meanwhile, 0 where it is not known.
	Others float64 `json:"others,omitempty"`
	// BinaryMB is what pages of the binary are of that.
	BinaryMB float64 `json:"binaryMB,omitempty"`
}

// Initialise is the initialisation of all nodes by one process.
type Initialise struct {
	Calls  Calls  `json:"calls"`
	Writes Writes `json:"writes"`
	// Seconds are from the start of the process to the last node.
	Seconds float64 `json:"seconds"`
	// Others is how long requests of somebody else to the API server took meanwhile.
	Others Latency `json:"others"`
	// CPU includes the start of the process.
	CPUSeconds             float64 `json:"cpuSeconds"`
	CPUMillisecondsPerNode float64 `json:"cpuMillisecondsPerNode"`
}

// Step is something done to all Services.
type Step struct {
	Calls   Calls   `json:"calls"`
	Writes  Writes  `json:"writes"`
	Seconds float64 `json:"seconds"`
	// CPUSeconds is the processor time of the process; it is not measured in every step.
	CPUSeconds float64 `json:"cpuSeconds,omitempty"`
	// AfterActivation is, for each Service, how many seconds after the cloud had its
	// balancer it had its address; ascending.
	AfterActivation []float64 `json:"afterActivation,omitempty"`
}

// Window is what is asked in a while.
type Window struct {
	Calls   Calls   `json:"calls"`
	Seconds float64 `json:"seconds"`
}

// perMinute are the calls of a minute, rounded up.
func (w Window) perMinute() int {
	if w.Seconds == 0 {
		return 0
	}
	return int(math.Ceil(float64(w.Calls.Total) * 60 / w.Seconds))
}

// Steady is a window in which nothing happens but one status pass.
type Steady struct {
	StatusPass    Calls   `json:"statusPass"`
	Window        Calls   `json:"window"`
	WindowSeconds float64 `json:"windowSeconds"`
	Writes        Writes  `json:"writes"`
	// CallsPerHour are extrapolated: ListsPerHour, and the other calls of the window in proportion.
	CallsPerHour int `json:"callsPerHour"`
}

// Violations says which counts are beyond what is promised.
func (r Result) Violations() []string {
	all := r.Burst.violations()
	atMost := func(what string, got, limit int) {
		if got > limit {
			all = append(all, fmt.Sprintf("%s: %d nodes: %s: %d, at most %d are promised", r.Cloud, r.Nodes, what, got, limit))
		}
	}
	atMost("cloud calls to initialise", r.Initialise.Calls.Total, r.Initialising)
	atMost("API-server writes to initialise", r.Initialise.Writes.Total, writesPerNode*r.Nodes+2*r.Initialise.Writes.Conflicts+ownLease)
	atMost("writes that the API server refused", r.Initialise.Writes.Refused, 0)
	atMost("cloud calls of a status pass", r.Steady.StatusPass.Total, r.Listing)
	atMost("cloud writes of a second ensure of unchanged Services", r.SecondEnsure.Writes, 0)
	atMost("cloud calls per minute with 10 % NotReady", r.NotReady.perMinute(), 2*r.Listing)
	atMost("cloud calls per idle hour", r.Steady.CallsPerHour, r.ListsPerHour*r.Listing)
	atMost("cloud reads to delete Services", r.Delete.Calls.Total-r.Delete.Calls.Writes, cmp.Or(r.Deleting, r.Services)+fewLists+int(r.Delete.Seconds))
	atMost("seconds from SIGTERM to the next leader's first Node", int(r.Takeover.StoppedSeconds), slowTakeover)
	atMost("seconds from kill -9 to the next leader's first Node", int(r.Takeover.KilledSeconds), slowTakeover+lease)
	atMost("cloud writes of an ensure that changes nothing", r.Unchanged.Calls.Writes, 0)
	atMost("milliseconds of processor to make Services", int(r.Create.CPUSeconds*1000), busyMaking+perService*r.Services)
	atMost("milliseconds of processor for an ensure that changes nothing", int(r.unchangedCPU()), busyEnsure)
	atMost("seconds to delete Services", int(r.Delete.Seconds), stalled)
	atMost("seconds to initialise", int(r.Initialise.Seconds), slowStart+r.Nodes/perSecond)
	atMost("milliseconds of processor to initialise", int(r.Initialise.CPUSeconds*1000), busyStart+perNode*r.Nodes)
	atMost("seconds until all Services have an address", int(r.Create.Seconds), slowMaking+r.Services)
	atMost("MB of memory", int(slices.Max(append(slices.Collect(maps.Values(r.PeakMemoryMB)), 0))), largeStart+r.Nodes/perMB+r.Burst.Services*r.Nodes/perTargetsMB)
	atMost("seconds until new machines are targets in the place of all", int(math.Ceil(r.ReplaceAll.Seconds)), slowReplacement)
	atMost("cloud calls to approve the certificates of kubelets", r.Certificates.Calls.Total, 2*r.Listing+certificateCalls)
	atMost("seconds to approve the certificates of kubelets", int(math.Ceil(r.Certificates.Seconds)), certificateSeconds)
	atMost("MB of memory to approve the certificates of kubelets", int(math.Round(r.Certificates.MemoryMB)), certificateMB)
	atMost("nodes lost", r.NodesLost, 0)
	if r.Quota {
		atMost("throttled calls in steady state", r.Steady.Window.Throttled+r.NotReady.Calls.Throttled, 0)
	}
	return all
}

const (
	// writesPerNode are those of the framework's controller: of the Node, then of its status.
	writesPerNode = 2
	// ownLease is the lease of the process, which it makes once.
	ownLease = 1
	// fewLists is how many reads of all load balancers a deletion of many may take beside one of each, and one look a second at what
	// goes on: on Hetzner that is twelve seconds.
	fewLists = 7
	// stalled is from when on a deletion has certainly waited for the limit of a minute.
	stalled = 30
	// slowTakeover is when a standby has certainly missed that the lease was given back, on any machine, and
	// lease how long a lease lasts, in seconds.
	slowTakeover = 6
	lease        = 11
	// slowReplacement is how long new machines may take to be targets, in seconds, when all others are gone, beside the
	// cloud's own time.
	slowReplacement = 15
	// busyMaking, and perService more for each Service, are the milliseconds of processor from which on each creation has
	// certainly gone through all Nodes, and busyEnsure those of one ensure. They are twice what is aimed at.
	busyMaking = 2000
	perService = 120
	busyEnsure = 20
	// The following are beyond what any machine takes unless something is wrong: 5,000 Nodes take 25 seconds, 9 seconds of
	// processor and 77 to 113 MB on a quiet one. 50 Services take 15 seconds, of which the cloud takes 11, and memory for their targets.
	slowStart  = 60
	perSecond  = 50
	busyStart  = 4000
	perNode    = 5
	slowMaking = 120
	largeStart = 120
	perMB      = 50
	// perTargetsMB is how many targets of many Services take a megabyte.
	perTargetsMB = 3000
)

// unchangedCPU is the processor time of one ensure that changes nothing, in milliseconds.
func (r Result) unchangedCPU() float64 {
	if r.Services == 0 {
		return 0
	}
	return r.Unchanged.CPUSeconds * 1000 / float64(r.Services)
}

// throttled counts refused calls in the whole run.
func (r Result) throttled() int {
	all := r.Initialise.Calls
	for _, c := range []Calls{r.Restart, r.NotReady.Calls, r.Create.Calls, r.SecondEnsure, r.Unchanged.Calls, r.Steady.Window, r.AddNodes.Calls, r.Delete.Calls, r.ReplaceAll.Calls, r.Certificates.Calls} {
		all = all.plus(c)
	}
	return all.Throttled
}
