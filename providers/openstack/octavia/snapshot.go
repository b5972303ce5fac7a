package octavia

import (
	"context"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// snapshot is a balancer with everything that belongs to it, as it was read.
type snapshot struct {
	lb        balancer
	listeners []listener
	// pools are by their id; members and monitors by that of their pool.
	pools    map[string]pool
	members  map[string][]member
	monitors map[string]monitor
	// floating is the floating IP at the balancer's port, nil when there is none; free is one
	// that was made for this Service and is attached nowhere, elsewhere one that is attached to
	// something else.
	floating  *floatingIP
	free      *floatingIP
	elsewhere *floatingIP
	// guard is the managed security group.
	guard guard
	// read is when the balancer was read, by the clock of the API.
	read time.Time
}

// calm is for how long nothing must have changed before what was read counts as all that
// happened until then. Octavia's stamps are whole seconds, so two changes can have the same.
const calm = 3 * time.Second

// stampFormat is that of Octavia's time stamps, in UTC.
const stampFormat = "2006-01-02T15:04:05"

// still reports whether what was read then, with that stamp, is the same now if the stamp is:
//
//	stamp then and now  last change was       still
//	differ              –                     no
//	same                calm before reading   yes
//	same                closer                no: there may have been another change that second
func (s *snapshot) still(then, now string) bool {
	if s == nil || then == "" || then != now {
		return false
	}
	changed, err := time.Parse(stampFormat, then)
	return err == nil && !s.read.IsZero() && s.read.Sub(changed) >= calm
}

// children reads listeners, pools, members and monitors of a balancer, as far as they are not
// known to be what they were in an earlier snapshot.
func (d *Balancers) children(ctx context.Context, lb balancer, read time.Time, last *snapshot) (*snapshot, error) {
	s := &snapshot{lb: lb, read: read, pools: map[string]pool{}, members: map[string][]member{}, monitors: map[string]monitor{}}
	if last != nil && last.lb.ID != lb.ID {
		last = nil
	}
	if last != nil && last.still(last.lb.Updated, lb.Updated) {
		s.listeners, s.pools, s.members, s.monitors = last.listeners, last.pools, last.members, last.monitors
		s.read = last.read
		return s, nil
	}
	var err error
	if s.listeners, err = api.ListAll[listener](ctx, d.client, "listeners", pathListeners, ofBalancer(lb.ID)); err != nil {
		return nil, err
	}
	pools, err := api.ListAll[pool](ctx, d.client, "pools", pathPools, ofBalancer(lb.ID))
	if err != nil {
		return nil, err
	}
	if err := d.addMembers(ctx, s, pools, last); err != nil {
		return nil, err
	}
	return s, d.addMonitors(ctx, s, last)
}

func (d *Balancers) addMembers(ctx context.Context, s *snapshot, pools []pool, last *snapshot) error {
	for _, p := range pools {
		s.pools[p.ID] = p
		switch {
		case len(p.Members) == 0:
		case last != nil && last.still(last.pools[p.ID].Updated, p.Updated):
			s.members[p.ID] = last.members[p.ID]
		default:
			members, err := api.ListAll[member](ctx, d.client, "members", pathPools+"/"+p.ID+"/members", nil)
			if err != nil {
				return err
			}
			s.members[p.ID] = members
		}
	}
	return nil
}

// addMonitors reads the monitors of the pools, all at once: the API can't list those of one
// balancer.
func (d *Balancers) addMonitors(ctx context.Context, s *snapshot, last *snapshot) error {
	missing := false
	for id, p := range s.pools {
		switch {
		case p.Monitor == "":
		case last != nil && last.still(last.pools[id].Updated, p.Updated):
			s.monitors[id] = last.monitors[id]
		default:
			missing = true
		}
	}
	if !missing {
		return nil
	}
	all, err := api.ListAll[monitor](ctx, d.client, "healthmonitors", pathMonitors, d.ofProject())
	if err != nil {
		return err
	}
	for _, m := range all {
		for _, p := range m.Pools {
			if s.pools[p.ID].Monitor == m.ID {
				s.monitors[p.ID] = m
			}
		}
	}
	return nil
}

// lastOf returns the snapshot of the last observation, nil when there is none.
func lastOf(spec cloud.Spec) *snapshot {
	if spec.Last == nil {
		return nil
	}
	s, _ := spec.Last.Native.(*snapshot)
	return s
}

// listenerOf returns the listener with that key, nil when there is none.
func (s *snapshot) listenerOf(key string) *listener {
	at := slices.IndexFunc(s.listeners, func(l listener) bool { return l.key() == key })
	if at < 0 {
		return nil
	}
	return &s.listeners[at]
}

// key is that of the kernel's listener.
func (l listener) key() string {
	return cloud.Listener{Protocol: cloud.Protocol(l.Protocol), Port: l.Port}.Key()
}
