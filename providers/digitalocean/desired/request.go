package desired

import (
	"cmp"
	"strconv"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/option"
)

// CreateRequest is what a new balancer is created from.
func (r *Rules) CreateRequest(b cloud.Balancer, spec cloud.Spec) (*godo.LoadBalancerRequest, error) {
	request := &godo.LoadBalancerRequest{
		Region:    r.Settings.Region,
		Algorithm: option.RoundRobin,
		Tags:      b.OwnershipTags,
		IP:        b.ProviderFields[FieldIP],
	}
	return request, fill(request, b, spec)
}

// UpdateRequest is the existing balancer with every managed field replaced. The API resets
// what a PUT leaves out, so everything else goes back as it came: a size set by hand, the
// cipher policy, the project.
func UpdateRequest(lb *godo.LoadBalancer, b cloud.Balancer, spec cloud.Spec) (*godo.LoadBalancerRequest, error) {
	r := lb.AsRequest()
	if r.SizeUnit > 0 {
		r.SizeSlug = "" // the API answers both and accepts one
	}
	r.Algorithm = cmp.Or(r.Algorithm, option.RoundRobin)
	r.Tag = ""
	return r, fill(r, b, spec)
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
