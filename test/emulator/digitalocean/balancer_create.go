package digitalocean

import (
	"fmt"
	"net/http"
	"time"
)

// createBalancer answers 202 with the status "new". With validate_only a good
// request gets 204 and changes nothing (guess).
func (a *Account) createBalancer(r *http.Request) (reply, error) {
	var q balancerRequest
	if err := decode(r, &q); err != nil {
		return reply{}, err
	}
	made, err := a.checkedNew(&q)
	if err != nil {
		return reply{}, err
	}
	if q.ValidateOnly {
		return noContent(), nil
	}
	b := a.addBalancer(made, q.IP)
	answer := b.view()
	b.activateLater(a.server.options.ActivateAfter)
	return reply{status: http.StatusAccepted, body: map[string]any{"load_balancer": answer}}, nil
}

// checkedNew returns the balancer a creation asks for, or the refusal.
func (a *Account) checkedNew(q *balancerRequest) (Balancer, error) {
	existing := Balancer{Region: findRegion(q.Region)}
	made := q.balancer(existing)
	if err := a.validate(q, &made); err != nil {
		return Balancer{}, err
	}
	for _, tag := range q.Tags {
		if !tagName.MatchString(tag) {
			return Balancer{}, unprocessable("tag %q is invalid", tag)
		}
	}
	if made.VPCUUID == "" && made.Region != nil {
		made.VPCUUID = a.defaultVPC(made.Region.Slug).ID
		if err := a.validTargets(q, &made); err != nil {
			return Balancer{}, err
		}
	}
	if a.limit > 0 && len(a.balancers) >= a.limit {
		return Balancer{}, unprocessable("this would exceed your load balancer limit of %d", a.limit) // status and text: guess
	}
	if a.server.options.UniqueBalancerNames && a.nameTaken(made.Name, "") {
		return Balancer{}, unprocessable("name is already in use")
	}
	made.Tags = q.Tags
	return made, nil
}

func (a *Account) nameTaken(name, exceptID string) bool {
	for _, b := range a.balancers {
		if b.Name == name && b.ID != exceptID {
			return true
		}
	}
	return false
}

// addBalancer stores a checked balancer. Its tags come to exist.
func (a *Account) addBalancer(made Balancer, address string) *balancer {
	made.ID, made.Status, made.CreatedAt = a.server.newUUID(), BalancerNew, a.server.timestamp()
	wanted := made.Tags
	made.Tags = nil
	for _, tag := range wanted {
		made.Tags = setMember(made.Tags, a.ensureTag(tag), true)
	}
	b := &balancer{Balancer: made, account: a, address: address, resizedAt: a.server.options.Now()}
	a.balancers = append(a.balancers, b)
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

func (a *Account) stopTimers() {
	for _, b := range a.balancers {
		if b.timer != nil {
			b.timer.Stop()
		}
	}
}
