package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// destroy deletes the project with all that is in it. It goes on after a failure, so that as
// little as possible is left.
func (p *Project) destroy(ctx context.Context) error {
	if p.ID == "" {
		return nil
	}
	errs := []error{
		p.removeClones(ctx), p.removeBalancers(ctx), p.removeServers(ctx),
		// Those in use keep an interface from being removed.
		p.removeAll(ctx, "floatingips", "floatingips"),
		p.removeRouters(ctx),
		p.removeAll(ctx, "ports", "ports"), p.removeAll(ctx, "networks", "networks"),
		p.removeAll(ctx, "security-groups", "security_groups"),
	}
	errs = append(errs, remove(ctx, p.Admin.Identity, "projects/"+p.ID))
	if p.UserID != "" {
		errs = append(errs, remove(ctx, p.Admin.Identity, "users/"+p.UserID))
	}
	return errors.Join(errs...)
}

// removeAll deletes what the project has of one kind of Neutron's objects.
func (p *Project) removeAll(ctx context.Context, path, field string) error {
	items, err := list(ctx, p.Admin.Network, path, field, p.mine())
	errs := []error{err}
	for _, item := range items {
		errs = append(errs, remove(ctx, p.Admin.Network, path+"/"+text(item, "id")))
	}
	return errors.Join(errs...)
}

// mine selects what is in the project.
func (p *Project) mine() url.Values { return url.Values{"project_id": {p.ID}} }

func (p *Project) removeBalancers(ctx context.Context) error {
	const path = "lbaas/loadbalancers"
	sent := map[string]bool{}
	return until(ctx, "load balancers to be gone", func() (bool, error) {
		items, err := list(ctx, p.Admin.Balancer, path, "loadbalancers", p.mine())
		for _, item := range items {
			// One that changes can't be deleted yet; one that was lost in a change never can.
			id := text(item, "id")
			status := text(item, "provisioning_status")
			if sent[id] || (status != "ACTIVE" && status != "ERROR") {
				continue
			}
			sent[id] = true
			err = errors.Join(err, remove(ctx, p.Admin.Balancer, path+"/"+id+"?cascade=true"))
		}
		return len(items) == 0, err
	})
}

func (p *Project) removeServers(ctx context.Context) error {
	sent := map[string]bool{}
	return until(ctx, "servers to be gone", func() (bool, error) {
		items, err := list(ctx, p.Admin.Compute, "servers", "servers", url.Values{"project_id": {p.ID}, "all_tenants": {"1"}})
		for _, item := range items {
			if id := text(item, "id"); !sent[id] {
				sent[id] = true
				err = errors.Join(err, remove(ctx, p.Admin.Compute, "servers/"+id))
			}
		}
		return len(items) == 0, err
	})
}

func (p *Project) removeRouters(ctx context.Context) error {
	network := p.Admin.Network
	routers, err := list(ctx, network, "routers", "routers", p.mine())
	errs := []error{err}
	for _, router := range routers {
		path := "routers/" + text(router, "id")
		// Routes keep an interface from being removed.
		errs = append(errs, put(ctx, network, path, object{"router": object{"routes": []any{}}}))
		ports, err := list(ctx, network, "ports", "ports", url.Values{"device_id": {text(router, "id")}, "device_owner": {"network:router_interface"}})
		errs = append(errs, err)
		for _, port := range ports {
			errs = append(errs, put(ctx, network, path+"/remove_router_interface", object{"port_id": text(port, "id")}))
		}
		errs = append(errs, remove(ctx, network, path))
	}
	return errors.Join(errs...)
}

// until asks every 200 ms whether something holds.
func until(ctx context.Context, what string, holds func() (bool, error)) error {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		done, err := holds()
		if done || err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		}
	}
}
