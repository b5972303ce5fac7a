package desired

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/option"
)

// Request is what a balancer is created from, or else the existing one with every managed field replaced. The API resets
// what a PUT leaves out, so everything else goes back as it came: a size set by hand, the cipher policy, the project.
func (r *Rules) Request(existing *godo.LoadBalancer, b cloud.Balancer, spec cloud.Spec) (*godo.LoadBalancerRequest, error) {
	request := &godo.LoadBalancerRequest{Region: r.Settings.Region, Tags: b.OwnershipTags, IP: b.ProviderFields[FieldIP]}
	if existing != nil {
		request = existing.AsRequest()
		if request.SizeUnit > 0 {
			request.SizeSlug = "" // the API answers both and accepts one
		}
		request.Tag = ""
	}
	request.Algorithm = cmp.Or(request.Algorithm, option.RoundRobin)
	return request, fill(request, b, spec)
}

// fill writes the managed fields of a balancer into a request.
func fill(r *godo.LoadBalancerRequest, b cloud.Balancer, spec cloud.Spec) error {
	r.Name = b.Name
	r.Type = b.ProviderFields[FieldType]
	r.Network, r.NetworkStack = option.NetworkExternal, option.StackIPv4
	if b.Scope == cloud.ScopeInternal {
		r.Network = option.NetworkInternal
	}
	if b.DualStack {
		r.NetworkStack = option.StackDual
	}
	r.ForwardingRules = RuleRequests(b.Listeners)
	r.HealthCheck = HealthRequest(b.Health)
	r.Firewall = &godo.LBFirewall{Allow: b.Allow, Deny: b.Deny}
	if option.KeyAlgorithm.Has(spec.Options) {
		r.Algorithm = option.KeyAlgorithm.In(spec.Options)
	}
	fillExtras(r, b.ProviderFields, spec)
	ids, err := DropletIDs(b.Targets)
	r.DropletIDs = ids
	return err
}

// RuleRequests encodes listeners.
func RuleRequests(list []cloud.Listener) []godo.ForwardingRule {
	var rules []godo.ForwardingRule
	for _, l := range list {
		rules = append(rules, godo.ForwardingRule{
			EntryProtocol: l.Protocol.Lower(), EntryPort: l.Port, TargetProtocol: l.TargetProtocol.Lower(), TargetPort: l.TargetPort,
			CertificateID: l.ProviderFields[fieldCertificate], TlsPassthrough: l.ProviderFields[fieldPassthrough] == "true",
		})
	}
	return rules
}

// HealthRequest encodes the check. An overridden one leaves it to the API whether it sends
// a PROXY header: the Service's own port may expect one.
func HealthRequest(h *cloud.Health) *godo.HealthCheck {
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
	if value, ok := h.ProviderFields[fieldHealthProxy]; ok {
		c.ProxyProtocol = godo.PtrTo(value == "true")
	}
	return c
}

// fillExtras writes the managed provider fields; absent ones are not managed and stay.
func fillExtras(r *godo.LoadBalancerRequest, extras map[string]string, spec cloud.Spec) {
	set := func(field string, into *string) {
		if value, ok := extras[field]; ok {
			*into = value
		}
	}
	set(FieldVPC, &r.VPCUUID)
	set(FieldSubnet, &r.VPCSubnetUUID)
	fillSize(r, extras[fieldSize], spec)
	r.EnableProxyProtocol = extras[fieldProxyProtocol] == "true"
	r.EnableBackendKeepalive = extras[fieldBackendKeepalive] == "true"
	r.RedirectHttpToHttps = extras[fieldRedirect] == "true"
	r.DisableLetsEncryptDNSRecords = godo.PtrTo(extras[fieldNoDNSRecords] == "true")
	r.StickySessions = parseSticky(extras[fieldSticky])
	timeout, err := strconv.ParseUint(extras[fieldIdleTimeout], 10, 64)
	if err == nil && (r.HTTPIdleTimeoutSeconds != nil || option.KeyIdleTimeout.Has(spec.Options)) {
		r.HTTPIdleTimeoutSeconds = &timeout
	}
}

func parseSticky(value string) *godo.StickySessions {
	parts := strings.SplitN(value, " ", 3)
	if len(parts) != 3 {
		return &godo.StickySessions{Type: option.StickyNone}
	}
	ttl, _ := strconv.Atoi(parts[1])
	return &godo.StickySessions{Type: parts[0], CookieName: parts[2], CookieTtlSeconds: ttl}
}

// fillSize writes a managed size in the form the Service asked for it.
func fillSize(r *godo.LoadBalancerRequest, size string, spec cloud.Spec) {
	if size == "" {
		return
	}
	r.SizeSlug, r.SizeUnit = "", 0
	if slug := option.KeySizeSlug.In(spec.Options); sizes[slug] == size {
		r.SizeSlug = slug
		return
	}
	units, _ := strconv.ParseUint(size, 10, 32)
	r.SizeUnit = uint32(units)
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
