package balancer

import (
	"slices"
	"strconv"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
)

var targetFields = []string{"type", "server", "ip", "use_private_ip"}

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
func machines(spec cloud.Spec, lb *hcloud.LoadBalancer) map[string]cloud.InstanceID {
	owners := map[string]cloud.InstanceID{}
	for _, candidate := range spec.Candidates {
		if isServer(candidate.InstanceID) {
			continue
		}
		for _, private := range []bool{true, false} {
			if ip := addressOf(candidate, private); ip != "" {
				owners[ip] = candidate.InstanceID
			}
		}
	}
	ids := map[string]cloud.InstanceID{}
	for _, t := range lb.Targets {
		switch key := targetKey(t); {
		case key == "":
		case t.Type == hcloud.LoadBalancerTargetTypeServer:
			ids[key] = cloud.InstanceID(strconv.FormatInt(t.Server.Server.ID, 10))
		case owners[t.IP.IP] != "":
			ids[key] = owners[t.IP.IP]
		default:
			ids[key] = cloud.UnknownInstance(t.IP.IP)
		}
	}
	return ids
}

// targetResources are the targets as they are.
func (s state) targetResources() []cloud.Resource {
	var list []cloud.Resource
	for _, t := range s.lb.Targets {
		switch key := targetKey(t); {
		case !s.owns(key):
		case t.Type == hcloud.LoadBalancerTargetTypeServer:
			list = append(list, serverTarget(t.Server.Server.ID, t.UsePrivateIP))
		default:
			list = append(list, ipTarget(t.IP.IP))
		}
	}
	return list
}

func serverTarget(id int64, private bool) cloud.Resource {
	text := strconv.FormatInt(id, 10)
	return part(kindTarget, "server "+text, map[string]any{"type": "server", "server": map[string]any{"id": id}, "use_private_ip": private})
}

func ipTarget(ip string) cloud.Resource {
	return part(kindTarget, "ip "+ip, map[string]any{"type": "ip", "ip": map[string]any{"ip": ip}})
}

// wantedTargets are the targets as they have to be. A machine of which nothing is known stays as it is.
func (b *Balancers) wantedTargets(change cloud.Change, s state) []cloud.Resource {
	private := wantsPrivate(change.Spec)
	if value := change.After.ProviderFields[fieldPrivateTargets]; value != mixed {
		private = value == yes
	}
	var list []cloud.Resource
	add := func(r cloud.Resource) {
		if !slices.ContainsFunc(list, func(other cloud.Resource) bool { return other.Key == r.Key }) {
			list = append(list, b.reached(change, r, private))
		}
	}
	for _, id := range change.After.Targets {
		at := slices.IndexFunc(change.Spec.Candidates, func(t cloud.Target) bool { return t.InstanceID == id })
		switch number, ok := api.ID(string(id)); {
		case ok && at < 0 && s.lb != nil:
			add(s.asIs(id, serverTarget(number, private)))
		case ok:
			add(serverTarget(number, private))
		case at >= 0:
			add(ipTarget(reachedAt(*change.After, change.Spec.Candidates[at], private)))
		case s.lb != nil:
			add(s.asIs(id, ipTarget(id.Address())))
		}
	}
	return list
}

// asIs returns the target that a machine has now, or that one.
func (s state) asIs(id cloud.InstanceID, other cloud.Resource) cloud.Resource {
	for _, r := range s.targetResources() {
		if s.ids[r.Key] == id {
			return r
		}
	}
	return other
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
