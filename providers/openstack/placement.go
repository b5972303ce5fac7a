package openstack

import (
	"cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// placementOf says where the parts of a Service's balancer are put. The first that is set counts:
//
//	                      internal                     external
//	network and subnet    annotation, class, config    class, annotation, config
//	member subnet         annotation, class, config    the same
//	floating network      –                            class, annotation, config
//	floating subnet       –                            class, annotation, config, each with its id,
//	                                                   name and tags together
//
// For the first row upstream's documentation differs from what it does; this is what it does.
func (d *Driver) placementOf(spec cloud.Spec) placement {
	own := placement{
		network: keyNetwork.In(spec.Options), subnet: keySubnet.In(spec.Options), memberSubnet: keyMemberSubnet.In(spec.Options),
		floatingNetwork: keyFloatingNetwork.In(spec.Options), floatingSubnet: keyFloatingSubnet.In(spec.Options),
		floatingSubnetName: keyFloatingName.In(spec.Options), floatingSubnetTags: keyFloatingTags.In(spec.Options),
	}
	class, standard := d.config.classes[keyClass.In(spec.Options)].placement, d.config.balancer.placement
	first, second := class, own
	if d.wantsInternal(spec) {
		first, second = own, class
	}
	p := placement{
		memberSubnet:    cmp.Or(own.memberSubnet, class.memberSubnet, standard.memberSubnet, standard.subnet),
		floatingNetwork: cmp.Or(class.floatingNetwork, orDefault(keyFloatingNetwork, spec, standard.floatingNetwork)),
	}
	p.network, p.subnet = cmp.Or(first.network, second.network), cmp.Or(first.subnet, second.subnet)
	if p.network == "" && p.subnet == "" && keyPort.In(spec.Options) == "" {
		p.network, p.subnet = standard.network, standard.subnet
	}
	for _, from := range []placement{class, own, standard} {
		if from.floatingSubnet+from.floatingSubnetName+from.floatingSubnetTags != "" {
			p.floatingSubnet, p.floatingSubnetName, p.floatingSubnetTags = from.floatingSubnet, from.floatingSubnetName, from.floatingSubnetTags
			break
		}
	}
	return p
}

// orDefault returns the value of an annotation, also an empty one, else what is configured.
func orDefault(key annotation.Key, spec cloud.Spec, configured string) string {
	if key.Has(spec.Options) {
		return key.In(spec.Options)
	}
	return configured
}

// wantsInternal reports whether the Service is to have no floating IP. An annotation cannot make
// a balancer external where all are internal.
func (d *Driver) wantsInternal(spec cloud.Spec) bool {
	return d.config.balancer.internal || keyInternal.Bool(spec.Options)
}
