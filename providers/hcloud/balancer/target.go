package balancer

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
)

// targetKey is the key of a target, "" where labels select it.
func targetKey(t hcloud.LoadBalancerTarget) string {
	switch {
	case t.Type == hcloud.LoadBalancerTargetTypeServer && t.Server != nil && t.Server.Server != nil:
		return "server " + strconv.FormatInt(t.Server.Server.ID, 10)
	case t.Type == hcloud.LoadBalancerTargetTypeIP && t.IP != nil:
		return "ip " + t.IP.IP
	}
	return ""
}

// machines returns the machines behind the targets, by the key of the target. An address is that of a
// candidate which is reached there, or of nobody.
func machines(env cloud.Environment, lb *hcloud.LoadBalancer) map[string]cloud.InstanceID {
	owners := sync.OnceValue(func() map[string]cloud.InstanceID { return dedicated(env.Candidates) })
	ids := map[string]cloud.InstanceID{}
	for _, t := range lb.Targets {
		switch key := targetKey(t); {
		case key == "":
		case t.Type == hcloud.LoadBalancerTargetTypeServer:
			ids[key] = cloud.InstanceID(strconv.FormatInt(t.Server.Server.ID, 10))
		case owners()[t.IP.IP] != "":
			ids[key] = owners()[t.IP.IP]
		default:
			ids[key] = cloud.UnknownInstance(t.IP.IP)
		}
	}
	return ids
}

// dedicated returns the dedicated servers among the candidates, by each of their addresses.
func dedicated(candidates []cloud.Target) map[string]cloud.InstanceID {
	owners := map[string]cloud.InstanceID{}
	for _, candidate := range candidates {
		if desired.IsServer(candidate.InstanceID) {
			continue
		}
		for _, private := range []bool{true, false} {
			if ip := desired.AddressOf(candidate, private); ip != "" {
				owners[ip] = candidate.InstanceID
			}
		}
	}
	return owners
}

func serverTarget(id int64, private bool) cloud.Resource {
	text := strconv.FormatInt(id, 10)
	server := schema.LoadBalancerActionAddTargetRequestServer{ID: id}
	return part(kindTarget, "server "+text, fieldTargetType.Is("server"), fieldServer.Is(server), fieldUsePrivateIP.Is(private))
}

func ipTarget(ip string) cloud.Resource {
	return part(kindTarget, "ip "+ip, fieldTargetType.Is("ip"), fieldTargetIP.Is(schema.LoadBalancerActionAddTargetRequestIP{IP: ip}))
}

// targets are those of the Service.
func (b *Balancers) targets(change cloud.Change, s state) (present, wanted []cloud.Resource) {
	for _, t := range s.now().Targets {
		switch key := targetKey(t); {
		case !s.owns(key):
		case t.Type == hcloud.LoadBalancerTargetTypeServer:
			present = append(present, serverTarget(t.Server.Server.ID, t.UsePrivateIP))
		default:
			present = append(present, ipTarget(t.IP.IP))
		}
	}
	if change.After != nil {
		wanted = b.wantedTargets(change, s, present)
	}
	return present, wanted
}

// wantedTargets are the targets as they have to be. A machine of which nothing is known stays as it is.
func (b *Balancers) wantedTargets(change cloud.Change, s state, present []cloud.Resource) (wanted []cloud.Resource) {
	private := desired.WantsPrivate(change.Input.Spec)
	if value := change.After.ProviderFields[desired.FieldPrivateTargets]; value != desired.Mixed {
		private = value == yes
	}
	add := func(id cloud.InstanceID, r cloud.Resource) {
		r.Machine = id
		if !slices.ContainsFunc(wanted, func(other cloud.Resource) bool { return other.Key == r.Key }) {
			wanted = append(wanted, b.reached(change, r, private))
		}
	}
	for _, id := range change.After.Targets {
		server, isServer := api.ID(string(id))
		at := slices.IndexFunc(change.Input.Candidates, func(t cloud.Target) bool { return t.InstanceID == id })
		now := slices.IndexFunc(present, func(r cloud.Resource) bool { return s.ids[r.Key] == id })
		switch {
		case at < 0 && now >= 0:
			add(id, present[now])
		case isServer:
			add(id, serverTarget(server, private))
		case at >= 0:
			add(id, ipTarget(desired.ReachedAt(*change.After, change.Input.Candidates[at], private)))
		case s.lb != nil:
			add(id, ipTarget(id.Address()))
		}
	}
	return wanted
}

// reached returns the target with what it needs in order to be reached.
func (b *Balancers) reached(change cloud.Change, r cloud.Resource, private bool) cloud.Resource {
	switch {
	case private && b.Network != 0:
		r.Needs = []cloud.IDOf{{Kind: kindNetwork, Key: "private"}}
	case !private && change.After.Scope == cloud.ScopeExternal:
		r.Needs = []cloud.IDOf{{Kind: kindPublic, Key: "public"}}
	}
	return r
}

// owns reports whether a service or target is the Service's. A target that a label selects never is.
func (s state) owns(key string) bool { return key != "" && (s.own == nil || s.own[key]) }

// addTarget adds a target. A server that is gone is a refusal: the others are added. So is one too many, by the limit of the account.
func (w writer) addTarget(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
	id, err := w.action("add_target", targetFields...)(ctx, wanted, with)
	switch {
	case api.IsNotFound(err):
		err = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureInvalid}, Op: "adding " + wanted.Key, Err: err}
		return id, &cloud.TargetsRefused{Text: err.Error(), Err: err}
	case api.Classify(err).Class == cloud.FailureInvalid && !hcloud.IsError(err, balancerCodes...):
		return id, &cloud.TargetsRefused{Text: err.Error(), Err: err}
	case hcloud.IsError(err, hcloud.ErrorCodeResourceLimitExceeded):
		return id, &cloud.TargetsRefused{TooMany: true, Text: err.Error(), Err: err}
	}
	return id, err
}

// removeTarget takes a target away. The API refuses it where the server, or the target, is gone.
func (w writer) removeTarget(ctx context.Context, present cloud.Resource) error {
	err := w.undo("remove_target", fieldTargetType, fieldServer, fieldTargetIP)(ctx, present)
	if err == nil || api.Classify(err).Class != cloud.FailureInvalid {
		return err
	}
	if there, readErr := w.hasTarget(ctx, present); readErr != nil || there {
		return errors.Join(err, readErr)
	}
	return nil
}

// hasTarget reports whether the load balancer has the target, and its server is there.
func (w writer) hasTarget(ctx context.Context, target cloud.Resource) (bool, error) {
	lb, err := byID(ctx, w.API, fieldBalancer.Of(target).ID)
	if err != nil || lb == nil {
		return false, err
	}
	at := slices.IndexFunc(lb.Targets, func(t hcloud.LoadBalancerTarget) bool { return targetKey(t) == target.Key })
	if at < 0 || lb.Targets[at].Type != hcloud.LoadBalancerTargetTypeServer {
		return at >= 0, nil
	}
	server, _, err := w.API.Server.GetByID(ctx, lb.Targets[at].Server.Server.ID)
	if err != nil {
		return false, api.Failed("reading the server of a target", err)
	}
	return server != nil, nil
}
