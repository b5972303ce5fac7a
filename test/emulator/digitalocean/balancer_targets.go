package digitalocean

// validTargets: droplets must exist in the balancer's region and VPC, and they
// are chosen either by id or by a tag that exists.
func (bs *LoadBalancers) validTargets(_ *balancerRequest, b *Balancer) error {
	if b.Tag != "" && len(b.DropletIDs) > 0 {
		return unprocessable("droplet_ids and tag are mutually exclusive")
	}
	if b.Tag != "" && !bs.account.Tags.has(b.Tag) {
		return unprocessable("tag %q does not exist", b.Tag)
	}
	for _, id := range b.DropletIDs {
		d, ok := bs.account.Droplets.byID[id]
		switch {
		case !ok && bs.absent != nil:
			return bs.absent
		case !ok:
			return unprocessable("droplet %d does not exist", id)
		case b.Region != nil && d.Region != "" && d.Region != b.Region.Slug:
			return unprocessable("droplet %d is in another region than the load balancer", id)
		case b.VPCUUID != "" && d.VPC != "" && d.VPC != b.VPCUUID:
			return unprocessable("droplet %d is in another VPC than the load balancer", id)
		}
	}
	return nil
}

// validGlobal checks the settings of global balancers, and that others have none.
func (bs *LoadBalancers) validGlobal(_ *balancerRequest, b *Balancer) error {
	if b.Type != TypeGlobal {
		if b.GLBSettings != nil || len(b.TargetLoadBalancerIDs) > 0 || len(b.Domains) > 0 {
			return unprocessable("glb_settings, domains and target_load_balancer_ids are only supported by global load balancers")
		}
		return nil
	}
	if b.GLBSettings == nil {
		return unprocessable("glb_settings is required for global load balancers")
	}
	settings := *b.GLBSettings
	switch {
	case !oneOf(settings.TargetProtocol, "http", "https", "http2"):
		return unprocessable("glb_settings target_protocol %q is invalid", settings.TargetProtocol)
	case settings.TargetPort != 80 && settings.TargetPort != 443:
		return unprocessable("glb_settings target_port must be 80 or 443")
	case settings.FailoverThreshold < 0 || settings.FailoverThreshold > 99:
		return unprocessable("glb_settings failover_threshold must be between 1 and 99")
	}
	for _, id := range b.TargetLoadBalancerIDs {
		if target := bs.find(id); target == nil || target.Type == TypeGlobal {
			return unprocessable("target load balancer %s does not exist", id)
		}
	}
	return nil
}
