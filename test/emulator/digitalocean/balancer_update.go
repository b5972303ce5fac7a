package digitalocean

import (
	"net/http"
	"time"
)

// busy is the refusal of a change while the balancer is not active. The text is
// the vendor's.
func busy() error {
	return unprocessable("Load Balancer can't be updated while it processes previous actions")
}

// updatable returns the balancer that a change names, if it may be changed now.
func (bs *LoadBalancers) updatable(r *http.Request) (*balancer, error) {
	b := bs.find(r.PathValue("id"))
	if b == nil {
		return nil, notFound()
	}
	if b.Status == BalancerNew && !bs.account.server.options.AllowUpdateWhileNew {
		return nil, busy()
	}
	return b, nil
}

// update replaces everything that can be changed: what the request
// leaves out gets its default.
func (bs *LoadBalancers) update(r *http.Request) (reply, error) {
	b := bs.find(r.PathValue("id"))
	if b == nil {
		return reply{}, notFound()
	}
	var q balancerRequest
	if err := decode(r, &q); err != nil {
		return reply{}, err
	}
	made := q.balancer(b.Balancer)
	if err := bs.checkedUpdate(&q, &made, b); err != nil {
		return reply{}, err
	}
	if q.ValidateOnly {
		return noContent(), nil
	}
	if _, err := bs.updatable(r); err != nil {
		return reply{}, err
	}
	if made.SizeUnit != b.SizeUnit {
		b.resizedAt = bs.account.server.options.Now()
	}
	b.Balancer = made
	return reply{body: map[string]any{"load_balancer": b.view()}}, nil
}

func (bs *LoadBalancers) checkedUpdate(q *balancerRequest, made *Balancer, b *balancer) error {
	if err := immutable(q, b); err != nil {
		return err
	}
	if err := bs.validate(q, made); err != nil {
		return err
	}
	options := bs.account.server.options
	if options.ResizeOncePerHour && made.SizeUnit != b.SizeUnit && options.Now().Sub(b.resizedAt) < time.Hour {
		return unprocessable("the load balancer can be resized once per hour")
	}
	if options.UniqueBalancerNames && bs.nameTaken(made.Name, b.ID) {
		return unprocessable("name is already in use")
	}
	return nil
}

// immutable refuses other values of what can't change after creation.
func immutable(q *balancerRequest, b *balancer) error {
	region := ""
	if b.Region != nil {
		region = b.Region.Slug
	}
	for _, field := range []struct{ name, wanted, actual string }{
		{"type", q.Type, b.Type},
		{"network", q.Network, b.Network},
		{"network_stack", q.NetworkStack, b.NetworkStack},
		{"vpc_uuid", q.VPCUUID, b.VPCUUID},
		{"region", q.Region, region},
		{"subnet_uuid", q.SubnetUUID, b.SubnetUUID},
	} {
		if field.wanted != "" && field.wanted != field.actual {
			return unprocessable("%s can't be changed", field.name)
		}
	}
	if q.IP != "" && q.IP != b.IP {
		return unprocessable("ip can't be changed")
	}
	return nil
}
