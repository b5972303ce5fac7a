package instance

import (
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Lookup returns those of the machines that exist, as targets of balancers and routes. An
// id that is missing from the result was answered by a definite not-found, once; with any
// doubt about any of them Lookup returns an error instead. Machines seen within staleAge
// count as present while the cloud fails.
func (i *Inventory) Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	size := i.size()
	since := sinceAge(i.pace.metadataAge(size))
	present := make(map[cloud.InstanceID]cloud.Instance, len(ids))
	rest := i.pick(present, ids, since)
	if len(rest) == 0 {
		return present, nil
	}
	listErr := i.list(ctx, since)
	rest = i.pick(present, rest, sinceAge(i.pace.staleAge(size)))
	if len(rest) == 0 {
		return present, nil
	}
	if listErr != nil {
		return nil, listErr
	}
	if err := i.readInto(ctx, present, rest); err != nil {
		return nil, err
	}
	return present, nil
}

// pick adds the machines that were seen at since or later and returns the other ids.
func (i *Inventory) pick(present map[cloud.InstanceID]cloud.Instance, ids []cloud.InstanceID, since time.Time) []cloud.InstanceID {
	var rest []cloud.InstanceID
	for _, id := range ids {
		if r := i.sighting(id); r != nil && !r.seen.Before(since) {
			present[id] = copied(r.Instance)
		} else {
			rest = append(rest, id)
		}
	}
	return rest
}

// readInto adds those of the machines that exist, by reading them together.
func (i *Inventory) readInto(ctx context.Context, present map[cloud.InstanceID]cloud.Instance, ids []cloud.InstanceID) error {
	var wants []want
	for _, id := range ids {
		if w := (want{id: id}); !i.missed(w) {
			wants = append(wants, w)
		}
	}
	if len(wants) == 0 {
		return nil
	}
	for _, p := range i.misses.join(ctx, wants...) {
		found, err := p.wait(ctx)
		if err != nil {
			return err
		}
		for _, instance := range found {
			present[instance.ID] = copied(instance)
		}
	}
	return nil
}
