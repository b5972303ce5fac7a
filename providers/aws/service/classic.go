package service

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

const kindClassic = "classic load balancer"

// classicChange is what a classic balancer is changed by.
type classicChange struct {
	s      *snapshot
	change cloud.Change
}

// classicKind is a classic balancer, written as a whole.
func (bs *Balancers) classicKind() cloud.ResourceKind {
	apply := func(ctx context.Context, r cloud.Resource) error {
		c, _ := r.Native.(classicChange)
		do := bs.classic.Update
		if c.s.classic == nil {
			do = bs.classic.Create
		}
		p, err := do(ctx, c.s.forClassic(), c.change)
		if err == nil && p.Pending {
			err = &cloud.Waiting{}
		}
		return err
	}
	return cloud.ResourceKind{
		Name: kindClassic, Anchor: true,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			return "", apply(ctx, wanted)
		},
		Update: func(ctx context.Context, _, wanted cloud.Resource, _ []string) error { return apply(ctx, wanted) },
		Delete: func(ctx context.Context, present cloud.Resource) error {
			c, _ := present.Native.(classicChange)
			return bs.classic.Delete(ctx, c.s.forClassic(), c.change.Spec)
		},
	}
}

func (bs *Balancers) classicResources(s *snapshot, change cloud.Change) (r cloud.Resources) {
	one := cloud.Resource{Kind: kindClassic, Key: s.name(change.Spec), Native: classicChange{s, change}}
	if s.classic != nil {
		present := one
		present.ID, present.Fields = change.Before.ID, map[string]any{"view": viewText(change.Before.Balancer)}
		if change.After == nil { // its groups go after it
			for _, g := range bs.groups.Own(s.inventory, change.Spec.Ref.Owner, balancer.Name(change.Spec), s.present()) {
				present.Needs = append(present.Needs, cloud.IDOf{Kind: secgroup.KindGroup, Key: aws.ToString(g.GroupName)})
			}
		}
		r.Present = append(r.Present, present)
	}
	if change.After != nil {
		one.Fields = map[string]any{"view": viewText(*change.After)}
		r.Wanted = append(r.Wanted, one)
	}
	return r
}

// viewText is all that is managed of a balancer.
func viewText(b cloud.Balancer) string {
	text := fmt.Sprint(b.Fields(), b.Targets)
	for _, l := range b.Listeners {
		text += fmt.Sprint(l.Key(), l.Fields())
	}
	return text
}
