package instance

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// Lookup returns those of the machines that exist, as targets of balancers and routes. An id that is missing
// from the result was answered by a definite not-found; with any doubt about any of them there is an error too: a
// *UnreadError when nothing but a list says that some are gone. Machines seen within staleAge count as present while
// the cloud fails. No cloud is asked for machines that only their Nodes describe: they are missing when the Node is.
func (i *Inventory) Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	ids, present := i.nodes.split(ids)
	if len(ids) == 0 {
		return present, nil
	}
	_, err := unanswered(ctx, i, ids, func(id cloud.InstanceID, since time.Time) bool {
		r := i.cache.Since(id, since)
		if r != nil {
			present[id] = cache.Copy(r.Instance)
		}
		return r != nil
	})
	doubtful, unlisted := i.sort(ids, present)
	if err == nil {
		var postponed []cloud.InstanceID
		postponed, err = i.readUnlisted(ctx, unlisted, present)
		doubtful = append(doubtful, postponed...)
	}
	unread := i.readDoubtful(ctx, doubtful, present)
	if err == nil {
		err = unread
	}
	return i.nodes.completeAll(present), err
}

// sort returns the machines that are in doubt, which are not present any more, and those of which nothing is known.
func (i *Inventory) sort(ids []cloud.InstanceID, present map[cloud.InstanceID]cloud.Instance) (doubtful, unlisted []cloud.InstanceID) {
	for _, id := range ids {
		switch r := i.cache.Get(id); {
		case r != nil && i.doubtful(id, r):
			delete(present, id)
			doubtful = append(doubtful, id)
		case present[id].ID == "":
			unlisted = append(unlisted, id)
		}
	}
	return doubtful, unlisted
}

// readUnlisted adds the machines that direct reads show and no list does. It returns those whose read was postponed
// although the newest list lacks them.
func (i *Inventory) readUnlisted(ctx context.Context, ids []cloud.InstanceID, present map[cloud.InstanceID]cloud.Instance) (postponed []cloud.InstanceID, err error) {
	var keys []cache.Key
	for _, id := range ids {
		if k := (cache.Key{ID: id}); !i.cache.Missed(k) {
			keys = append(keys, k)
		}
	}
	for n, q := range i.reads.misses.Join(ctx, keys...) {
		found, failure := q.Wait(ctx)
		switch {
		case errors.Is(failure, errNotItsTurn) && i.lacked(keys[n].ID):
			postponed = append(postponed, keys[n].ID)
		case err == nil:
			err = failure
		}
		for _, machine := range found {
			present[machine.ID] = cache.Copy(machine)
		}
	}
	return postponed, err
}

// Read reads a list of machines, for those who will ask soon: a process that has just begun to lead knows
// from its informers that there are Nodes. A failure is told to whoever asks.
func (i *Inventory) Read(ctx context.Context) {
	_ = i.lists.refresh(cloud.WithPriority(ctx, cloud.PriorityNodeInit), sinceAge(i.schedule.metadataAge(i.size())))
}

// generation is what was known of machines at a time: from lists of them, and from Nodes.
type generation struct {
	installed, refused *cache.Snapshot
	nodes              int64
}

// Outdate has the next Lookup believe no list from before now: the cloud refused something, which may be a machine that went
// since the last list. Those who say so in the same few seconds share a list.
func (i *Inventory) Outdate() {
	now := time.Now()
	i.outdated.Store(&now)
}

// Held reports whether the newest list of machines is held: it is complete and is not believed, as it lacks too many machines.
func (i *Inventory) Held() bool { return i.cache.Lists().Lacks(nil) }

// Generation is another one when Lookup may know more of a machine than before, nil where that cannot be
// said.
func (i *Inventory) Generation() any {
	version := i.nodes.version()
	if version == 0 && i.nodes.describe {
		return nil
	}
	lists := i.cache.Lists()
	return generation{lists.Installed, lists.Refused, version}
}

// ByName returns the machines of Nodes without provider-ID, by the Node's name, as the cloud's
// rule for names finds them. A name that no machine has, or several, is missing from the answer.
// An error says that the cloud did not answer for some of them.
//
//	the name                                     costs
//	is one of a machine in the list              nothing
//	was asked for within an hour, and the list   nothing
//	 still has no such machine
//	differs from the machine's, or is of none    one search, together with others
func (i *Inventory) ByName(ctx context.Context, nodes []*corev1.Node) (map[string]cloud.Instance, error) {
	found := make(map[string]cloud.Instance, len(nodes))
	rest, err := unanswered(ctx, i, nodes, func(node *corev1.Node, since time.Time) bool {
		name := node.Name
		listed := i.listedSince(since) // before the cache is looked at: a newer list may know the name
		r, err := i.known(i.keyOfName(name), since)
		answer, asked := i.cache.Answer(name)
		if r == nil && answer != "" {
			r, err = i.known(cache.Key{ID: answer}, since)
		}
		if r != nil {
			found[name] = i.nodes.complete(cache.Copy(r.Instance), node)
			return true
		}
		return err != nil || asked && answer == "" && listed // several machines, or none
	})
	if err != nil {
		return found, err
	}
	keys := make([]cache.Key, len(rest))
	for n, node := range rest {
		keys[n] = i.keyOfName(node.Name)
	}
	var errs []error
	for n, q := range i.reads.misses.Join(ctx, keys...) {
		machines, err := q.Wait(ctx)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		i.cache.SetAnswer(rest[n].Name, machines)
		if len(machines) == 1 {
			found[rest[n].Name] = i.nodes.complete(cache.Copy(machines[0]), rest[n])
		}
	}
	return found, errors.Join(errs...)
}

// unanswered returns the keys that answer does not answer: from what was seen within metadata age
// or, after a new list, from what is less than stale. The error is the list's.
func unanswered[K any](ctx context.Context, i *Inventory, keys []K, answer func(key K, since time.Time) bool) ([]K, error) {
	size := i.size()
	since := sinceAge(i.schedule.metadataAge(size))
	if at := i.outdated.Load(); at != nil && at.After(since) {
		since = *at
	}
	rest := slices.DeleteFunc(slices.Clone(keys), func(k K) bool { return answer(k, since) })
	if len(rest) == 0 {
		return nil, nil
	}
	err := i.lists.refresh(ctx, since)
	stale := sinceAge(i.schedule.staleAge(size))
	if rest = slices.DeleteFunc(rest, func(k K) bool { return answer(k, stale) }); len(rest) == 0 {
		return nil, nil
	}
	return rest, err
}

// keyOfName is how the machine of a Node of that name is looked up.
func (i *Inventory) keyOfName(name string) cache.Key {
	if i.namer != nil {
		if id := i.namer.NameID(name); id != "" {
			return cache.Key{ID: id}
		}
	}
	return cache.Key{Name: name}
}

// Addresses returns the addresses of all machines of a list that was read just now, and of those that only
// Nodes describe. It fails unless the list is believed to be whole.
func (i *Inventory) Addresses(ctx context.Context) (map[string]bool, error) {
	list, err := i.wholeList(ctx, sinceAge(i.schedule.metadataAge(i.size())))
	if err != nil {
		return nil, err
	}
	addresses := map[string]bool{}
	add := func(machine cloud.Instance) {
		for _, a := range machine.Addresses {
			addresses[a.Address] = true
		}
	}
	for _, r := range list.All() {
		add(r.Instance)
	}
	for _, machine := range i.nodes.described() {
		add(machine)
	}
	return addresses, nil
}

// Listed returns all machines of a list that began at since or later, as the cloud tells them: what only Nodes say is not in there, nor
// a machine that the list lacks and that a direct read had seen before the list began. It fails unless the list is believed to be whole.
func (i *Inventory) Listed(ctx context.Context, since time.Time) ([]cloud.Instance, error) {
	list, err := i.wholeList(ctx, since)
	if err != nil {
		return nil, err
	}
	machines := make([]cloud.Instance, 0, list.Size)
	for _, r := range list.All() {
		if !r.Seen.Before(list.Started) {
			machines = append(machines, cache.Copy(r.Instance))
		}
	}
	return machines, nil
}

// wholeList returns a list that was started at since or later, and that is believed to be whole. A machine that a direct read saw is in
// there too, also where the list lacks it and began later.
func (i *Inventory) wholeList(ctx context.Context, since time.Time) (*cache.Snapshot, error) {
	if err := i.lists.refresh(ctx, since); err != nil {
		return nil, err
	}
	lists := i.cache.Lists()
	if !isWhole(lists, since) {
		return nil, errors.New("the list of machines is incomplete or suspiciously short")
	}
	return lists.Installed, nil
}
