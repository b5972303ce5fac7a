package digitalocean

import (
	"net/http"
	"slices"
)

// dropletIDs reads the body of /v2/load_balancers/{id}/droplets.
func dropletIDs(r *http.Request) ([]int, error) {
	var body struct {
		DropletIDs []int `json:"droplet_ids"`
	}
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	if len(body.DropletIDs) == 0 {
		return nil, unprocessable("droplet_ids is required")
	}
	return distinct(body.DropletIDs), nil
}

// addDroplets: a droplet that is a target already stays one (guess).
func (bs *LoadBalancers) addDroplets(r *http.Request) (reply, error) {
	return bs.changeDroplets(r, func(b *balancer, ids []int) error {
		made := b.Balancer
		made.DropletIDs = distinct(slices.Concat(b.DropletIDs, ids))
		if err := bs.validTargets(nil, &made); err != nil {
			return err
		}
		b.DropletIDs = made.DropletIDs
		return nil
	})
}

// removeDroplets: to remove what is no target is refused (guess).
func (bs *LoadBalancers) removeDroplets(r *http.Request) (reply, error) {
	return bs.changeDroplets(r, func(b *balancer, ids []int) error {
		kept := b.DropletIDs
		for _, id := range ids {
			if !slices.Contains(kept, id) {
				return unprocessable("droplet %d is not assigned to the load balancer", id)
			}
			kept = without(kept, id)
		}
		b.DropletIDs = kept
		return nil
	})
}

func (bs *LoadBalancers) changeDroplets(r *http.Request, change func(*balancer, []int) error) (reply, error) {
	b, err := bs.updatable(r)
	if err != nil {
		return reply{}, err
	}
	ids, err := dropletIDs(r)
	if err != nil {
		return reply{}, err
	}
	if b.Tag != "" {
		return reply{}, unprocessable("droplets can't be assigned to a load balancer with a tag")
	}
	return noContent(), change(b, ids)
}

// rules reads the body of /v2/load_balancers/{id}/forwarding_rules.
func rules(r *http.Request, kind string) ([]ForwardingRule, error) {
	var body struct {
		Rules []ruleRequest `json:"forwarding_rules"`
	}
	if err := decode(r, &body); err != nil {
		return nil, err
	}
	if len(body.Rules) == 0 {
		return nil, unprocessable("forwarding_rules is required")
	}
	var list []ForwardingRule
	for _, rule := range body.Rules {
		list = append(list, rule.rule(kind))
	}
	return list, nil
}

// addRules: a rule on a port in use is refused.
func (bs *LoadBalancers) addRules(r *http.Request) (reply, error) {
	return bs.changeRules(r, func(old, given []ForwardingRule) ([]ForwardingRule, error) {
		return slices.Concat(old, given), nil
	})
}

// removeRules: rules are named by all their fields; one that does not
// exist is refused (guess), as is removing the last one.
func (bs *LoadBalancers) removeRules(r *http.Request) (reply, error) {
	return bs.changeRules(r, func(old, given []ForwardingRule) ([]ForwardingRule, error) {
		for _, rule := range given {
			if !slices.Contains(old, rule) {
				return nil, unprocessable("the load balancer has no such forwarding rule on port %d", rule.EntryPort)
			}
			old = without(old, rule)
		}
		return old, nil
	})
}

func (bs *LoadBalancers) changeRules(r *http.Request, change func(old, given []ForwardingRule) ([]ForwardingRule, error)) (reply, error) {
	b, err := bs.updatable(r)
	if err != nil {
		return reply{}, err
	}
	given, err := rules(r, b.Type)
	if err != nil {
		return reply{}, err
	}
	made := b.Balancer
	if made.ForwardingRules, err = change(b.ForwardingRules, given); err != nil {
		return reply{}, err
	}
	if err := bs.validRules(nil, &made); err != nil {
		return reply{}, err
	}
	if err := validSwitches(&balancerRequest{}, &made); err != nil {
		return reply{}, err // a redirect needs its rules
	}
	b.ForwardingRules = made.ForwardingRules
	return noContent(), nil
}
