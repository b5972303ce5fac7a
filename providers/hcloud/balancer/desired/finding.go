package desired

import (
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Findings are what Observe finds out for Normalize. The zero value is nothing.
type Findings struct {
	// Present are the fields of the load balancer there is, nil for none, and Kept those of them that stay where the Service says nothing
	// of them.
	Present map[string]string
	Kept    []string
	// Adopted says that it was there before the Service, Stays that it does not leave the network that it is in.
	Adopted, Stays bool
	// Types are the names of all types where another type than the present one is asked for.
	Types []string
	// Limits are those of the type that is asked for, nil where there is none.
	Limits *Limits
	// Deprecated is when that type is no longer available, zero where it stays. Gone says that this is past.
	Deprecated time.Time
	Gone       bool
	// Certificates are the ids of certificates that the Service names, by their names.
	Certificates map[string]int64
}

// Limits are how much a load balancer can have.
type Limits struct{ Targets, Services, Certificates int }

// Found makes and opens findings.
var Found cloud.FindingsOf[Findings]

// SetType notes the type of that name.
func (f *Findings) SetType(types []*hcloud.LoadBalancerType, wanted string) {
	var of *hcloud.LoadBalancerType
	for _, t := range types {
		if f.Types = append(f.Types, t.Name); t.Name == wanted {
			of = t
		}
	}
	if of == nil {
		return
	}
	f.SetLimits(of)
	if of.IsDeprecated() {
		f.Deprecated, f.Gone = of.UnavailableAfter(), of.UnavailableAfter().Before(time.Now())
	}
}

// SetLimits notes how much a load balancer of a type can have.
func (f *Findings) SetLimits(of *hcloud.LoadBalancerType) {
	f.Limits = &Limits{of.MaxTargets, of.MaxServices, of.MaxAssignedCertificates}
}

// SetAdopted notes that the load balancer was there before the Service, with so many targets that are not the Service's.
func (f *Findings) SetAdopted(foreign int) {
	var limits Limits
	if f.Limits != nil {
		limits = *f.Limits
	}
	limits.Targets = max(1, limits.Targets-foreign)
	f.Adopted, f.Limits = true, &limits
}
