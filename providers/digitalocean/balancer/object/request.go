package object

import (
	"cmp"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
)

// Asked is what a request has to say beside the balancer that is wanted, because it is not compared.
type Asked struct {
	// Region is that of a new balancer.
	Region string
	// Algorithm is "" where the one that is there stays.
	Algorithm string
	// SizeSlug is the size in the deprecated form, "" where it is not asked for that way.
	SizeSlug string
}

// Request is what a balancer is created from, or else the existing one with every managed field replaced. The API resets
// what a PUT leaves out, so everything else goes back as it came: a size set by hand, the cipher policy, the project.
func Request(existing *godo.LoadBalancer, b cloud.Balancer, asked Asked) (*godo.LoadBalancerRequest, error) {
	request := &godo.LoadBalancerRequest{Region: asked.Region, Tags: b.OwnershipTags}
	if existing != nil {
		request = requestOf(existing)
		if request.SizeUnit > 0 {
			request.SizeSlug = "" // the API answers both and accepts one
		}
	}
	ids, err := DropletIDs(b.Targets)
	request.DropletIDs = ids
	request.ForwardingRules, request.HealthCheck = ruleRequests(b.Listeners), healthRequest(b.Health)
	for _, f := range fields {
		wanted, isManaged := b.ProviderFields[f.name]
		if (isManaged || f.key.Default != "") && (f.name != option.FieldIP || existing == nil) {
			f.value.write(request, wanted)
		}
	}
	request.Tag = "" // targets are given by id
	writeSize(request, b.ProviderFields[FieldSize], asked.SizeSlug)
	request.Name, request.Network, request.NetworkStack = b.Name, option.NetworkExternal, option.StackIPv4
	if b.Scope == cloud.ScopeInternal {
		request.Network = option.NetworkInternal
	}
	if b.DualStack {
		request.NetworkStack = option.StackDual
	}
	request.Firewall = &godo.LBFirewall{Allow: b.Allow, Deny: b.Deny}
	request.Algorithm = cmp.Or(asked.Algorithm, request.Algorithm, option.RoundRobin)
	return request, err
}

// requestOf returns the request that would leave a balancer as it is. AsRequest of godo v1.236.0 writes through a pointer
// of the balancer, with the value that is there; several Services read the same balancer of a list at once.
func requestOf(lb *godo.LoadBalancer) *godo.LoadBalancerRequest {
	own := *lb
	if p := lb.DisableLetsEncryptDNSRecords; p != nil {
		own.DisableLetsEncryptDNSRecords = godo.PtrTo(*p)
	}
	return own.AsRequest()
}

// DropletIDs returns targets as the API names them.
func DropletIDs(targets []cloud.InstanceID) ([]int, error) {
	var ids []int
	for _, target := range targets {
		id, err := droplet.Number(target)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// ruleRequests encodes listeners.
func ruleRequests(list []cloud.Listener) []godo.ForwardingRule {
	var rules []godo.ForwardingRule
	for _, l := range list {
		rules = append(rules, godo.ForwardingRule{
			EntryProtocol: l.Protocol.Lower(), EntryPort: l.Port, TargetProtocol: l.TargetProtocol.Lower(), TargetPort: l.TargetPort,
			CertificateID: l.ProviderFields[FieldCertificate], TlsPassthrough: l.ProviderFields[FieldPassthrough] == "true",
		})
	}
	return rules
}

// healthRequest encodes the check. An overridden one leaves it to the API whether it sends
// a PROXY header: the Service's own port may expect one.
func healthRequest(h *cloud.Health) *godo.HealthCheck {
	if h == nil {
		return nil
	}
	c := &godo.HealthCheck{
		Protocol:               h.Protocol.Lower(),
		Port:                   h.Port,
		Path:                   h.Path,
		CheckIntervalSeconds:   int(h.Interval / time.Second),
		ResponseTimeoutSeconds: int(h.Timeout / time.Second),
		HealthyThreshold:       h.Healthy,
		UnhealthyThreshold:     h.Unhealthy,
	}
	if value, ok := h.ProviderFields[FieldHealthProxy]; ok {
		c.ProxyProtocol = godo.PtrTo(value == "true")
	}
	return c
}
