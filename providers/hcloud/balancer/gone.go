package balancer

import (
	"context"
	"errors"
	"slices"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
)

// targetWrites adds and removes targets, whose servers may be gone.
type targetWrites struct{ b *Balancers }

// add adds a target. A server that is gone is a refusal: the others are added.
func (w targetWrites) add(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
	id, err := w.b.action("add_target", targetFields...)(ctx, wanted, with)
	if api.IsNotFound(err) {
		err = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureInvalid}, Op: "adding " + wanted.Key, Err: err}
	}
	return id, err
}

// remove takes a target away. The API refuses it where the server, or the target, is gone.
func (w targetWrites) remove(ctx context.Context, present cloud.Resource) error {
	err := w.b.undo("remove_target", "type", "server", "ip")(ctx, present)
	if err == nil || api.Classify(err).Class != cloud.FailureInvalid {
		return err
	}
	if there, readErr := w.has(ctx, present); readErr != nil || there {
		return errors.Join(err, readErr)
	}
	return nil
}

// has reports whether the load balancer has the target, and its server is there.
func (w targetWrites) has(ctx context.Context, target cloud.Resource) (bool, error) {
	id, _ := target.Fields["load_balancer"].(string)
	lb, err := w.b.byID(ctx, id)
	if err != nil || lb == nil {
		return false, err
	}
	at := slices.IndexFunc(lb.Targets, func(t hcloud.LoadBalancerTarget) bool { return targetKey(t) == target.Key })
	if at < 0 || lb.Targets[at].Type != hcloud.LoadBalancerTargetTypeServer {
		return at >= 0, nil
	}
	server, _, err := w.b.API.Server.GetByID(ctx, lb.Targets[at].Server.Server.ID)
	if err != nil {
		return false, api.Failed("reading the server of a target", err)
	}
	return server != nil, nil
}
