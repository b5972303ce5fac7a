package digitalocean

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// create answers 202 with the status "new". With validate_only a good
// request gets 204 and changes nothing (guess).
func (bs *LoadBalancers) create(r *http.Request) (reply, error) {
	var q balancerRequest
	if err := decode(r, &q); err != nil {
		return reply{}, err
	}
	made, err := bs.checkedNew(&q)
	if err != nil {
		return reply{}, err
	}
	if q.ValidateOnly {
		return noContent(), nil
	}
	b := bs.add(made, q.IP)
	answer := b.view()
	b.activateLater(bs.account.server.options.ActivateAfter)
	return reply{status: http.StatusAccepted, body: map[string]any{"load_balancer": answer}}, nil
}

// checkedNew returns the balancer a creation asks for, or the refusal.
func (bs *LoadBalancers) checkedNew(q *balancerRequest) (Balancer, error) {
	existing := Balancer{Region: findRegion(q.Region)}
	made := q.balancer(existing)
	if err := bs.validate(q, &made); err != nil {
		return Balancer{}, err
	}
	for _, tag := range q.Tags {
		if !tagName.MatchString(tag) {
			return Balancer{}, unprocessable("tag %q is invalid", tag)
		}
	}
	if made.VPCUUID == "" && made.Region != nil {
		made.VPCUUID = bs.account.VPCs.defaultOf(made.Region.Slug).ID
		if err := bs.validTargets(q, &made); err != nil {
			return Balancer{}, err
		}
	}
	if bs.limit > 0 && len(bs.all) >= bs.limit {
		return Balancer{}, unprocessable("this would exceed your load balancer limit of %d", bs.limit) // status and text: guess
	}
	if bs.account.server.options.UniqueBalancerNames && bs.nameTaken(made.Name, "") {
		return Balancer{}, unprocessable("name is already in use")
	}
	made.Tags = q.Tags
	return made, nil
}

func (bs *LoadBalancers) nameTaken(name, exceptID string) bool {
	return slices.ContainsFunc(bs.all, func(b *balancer) bool { return b.Name == name && b.ID != exceptID })
}

// add stores a checked balancer. Its tags come to exist.
func (bs *LoadBalancers) add(made Balancer, address string) *balancer {
	made.ID, made.Status, made.CreatedAt = bs.account.server.newUUID(), BalancerNew, bs.account.server.timestamp()
	wanted := made.Tags
	made.Tags = nil
	for _, tag := range wanted {
		made.Tags = setMember(made.Tags, bs.account.Tags.ensure(tag), true)
	}
	b := &balancer{Balancer: made, account: bs.account, address: address, resizedAt: bs.account.server.options.Now()}
	bs.all = append(bs.all, b)
	return b
}

// activateLater ends the status new after d; at once when 0, never when negative.
func (b *balancer) activateLater(d time.Duration) {
	if d == 0 {
		b.activate()
	}
	if d <= 0 {
		return
	}
	b.timer = time.AfterFunc(d, func() { b.account.change(b.activate) })
}

// activate gives a new balancer its addresses. It needs the server's lock.
func (b *balancer) activate() {
	b.timer = nil
	if b.Status != BalancerNew {
		return
	}
	b.Status = BalancerActive
	b.account.server.serials.address++
	serial := b.account.server.serials.address
	switch {
	case b.address != "":
		b.IP = b.address
	case b.Network == NetworkInternal:
		b.IP = hostIn(10, 101, serial)
	default:
		b.IP = hostIn(198, 19, serial)
	}
	if b.NetworkStack == StackDualstack {
		b.IPv6 = fmt.Sprintf("2001:db8:2::%x", serial)
	}
}

func (bs *LoadBalancers) stopTimers() {
	for _, b := range bs.all {
		if b.timer != nil {
			b.timer.Stop()
		}
	}
}
