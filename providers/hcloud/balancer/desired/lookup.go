package desired

import (
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// Lookups are what has to be known beside the Service, as cloud.Input.Lookups has it.
type Lookups map[string]string

// Keys of what is looked up.
const (
	lookupAdopted      = "adopted"
	lookupTypes        = "types"
	lookupTargets      = "targets"
	lookupServices     = "services"
	lookupCertificates = "certificates"
	lookupDeprecated   = "deprecated"
	lookupGone         = "gone"
	lookupKept         = "kept"
	lookupStays        = "stays"
	lookupCertificate  = "certificate/"
	lookupField        = "field/"
)

// TypeAmong returns the type of that name, nil when there is none.
func (l Lookups) TypeAmong(types []*hcloud.LoadBalancerType, wanted string) (of *hcloud.LoadBalancerType) {
	var names string
	for _, t := range types {
		if names += ", " + t.Name; t.Name == wanted {
			of = t
		}
	}
	l[lookupTypes] = names[len(", "):]
	if of != nil && of.IsDeprecated() {
		l[lookupDeprecated] = of.UnavailableAfter().UTC().Format("2006-01-02")
		if of.UnavailableAfter().Before(time.Now()) {
			l[lookupGone] = yes
		}
	}
	return of
}

// SetLimits notes how much a load balancer of a type can have.
func (l Lookups) SetLimits(of hcloud.LoadBalancerType) {
	l[lookupTargets], l[lookupServices] = strconv.Itoa(of.MaxTargets), strconv.Itoa(of.MaxServices)
	l[lookupCertificates] = strconv.Itoa(of.MaxAssignedCertificates)
}

// SetCertificate notes the id of a certificate that the Service names.
func (l Lookups) SetCertificate(name string, id int64) {
	l[lookupCertificate+name] = strconv.FormatInt(id, 10)
}

// SetAdopted notes that the load balancer was there before the Service, with so many targets that are not the Service's.
func (l Lookups) SetAdopted(foreign int) {
	l[lookupAdopted] = yes
	l[lookupTargets] = strconv.Itoa(max(1, Number(l[lookupTargets])-foreign))
}

// SetStays notes that the load balancer does not leave the network that it is in.
func (l Lookups) SetStays() { l[lookupStays] = yes }

// SetPresent notes the load balancer as it is, and which of its fields stay where the Service says nothing of them.
func (l Lookups) SetPresent(v cloud.Balancer, kept []string) {
	for field, value := range v.ProviderFields {
		l[lookupField+field] = value
	}
	l[lookupField+cloud.FieldScope], l[lookupField+cloud.FieldName] = string(v.Scope), v.Name
	l[lookupKept] = label.Join(kept)
}
