package nlb

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// addLeft adds the target groups that listeners are led away from, unless another one leads to them; the listeners at ports
// that are not wanted, with what they lead to; and target groups that no listener leads to any more. Until each listener
// that has targets has one that is healthy, connections may still go to these.
func (p *parts) addLeft() {
	for _, l := range p.change.After.Listeners {
		switch have := p.s.Balancer.at(l.Port); {
		case have == nil || have.group.TargetGroupArn == nil:
		case transportOf(cloud.Protocol(have.Protocol)) != transportOf(l.Protocol): // it is deleted, and what it led to afterwards
			p.targets.Remove(have.group)
		default:
			p.targets.Retire(have.group)
		}
	}
	served := true
	if lb := p.s.Balancer; lb != nil {
		for _, l := range lb.listeners {
			if !slices.ContainsFunc(p.change.After.Listeners, func(w cloud.Listener) bool { return int32(w.Port) == aws.ToInt32(l.Port) }) {
				p.Present = append(p.Present, p.presentListener(l))
				p.targets.Remove(l.group)
			}
			served = served && l.group.IsServed()
		}
	}
	if served {
		p.targets.Drop()
	}
}
