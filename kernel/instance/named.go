package instance

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// nameAge is how long the cloud's answer to a question for a name holds, unless a list says
// otherwise: the Nodes of bare metal have names that no machine has.
const nameAge = time.Hour

// answer is what the cloud said for a name: the machine, "" for none or several.
type answer struct {
	id cloud.InstanceID
	at time.Time
}

// ByName returns the machines of Nodes without provider-ID, by the Node's name, as the cloud's
// rule for names finds them. A name that no machine has, or several, is missing from the answer.
// An error says that the cloud did not answer for some of them.
//
//	the name                                     costs
//	is one of a machine in the list              nothing
//	was asked for within nameAge, and the list   nothing
//	 still has no such machine
//	differs from the machine's, or is of none    one search, together with others
func (i *Inventory) ByName(ctx context.Context, names []string) (map[string]cloud.Instance, error) {
	size := i.size()
	since := sinceAge(i.pace.metadataAge(size))
	found := make(map[string]cloud.Instance, len(names))
	rest := i.pickNames(found, names, since)
	if len(rest) == 0 {
		return found, nil
	}
	listErr := i.list(ctx, since)
	rest = i.pickNames(found, rest, sinceAge(i.pace.staleAge(size)))
	switch {
	case len(rest) == 0:
		return found, nil
	case listErr != nil:
		return found, listErr
	}
	wants := make([]want, len(rest))
	for n, name := range rest {
		wants[n] = i.namedWant(name)
	}
	var errs []error
	for n, p := range i.misses.join(ctx, wants...) {
		machines, err := p.wait(ctx)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		i.answered(rest[n], machines)
		if len(machines) == 1 {
			found[rest[n]] = copied(machines[0])
		}
	}
	return found, errors.Join(errs...)
}

// Addresses returns the addresses of all machines of a list that was read just now. It fails
// unless the list is believed to be whole.
func (i *Inventory) Addresses(ctx context.Context) (map[string]bool, error) {
	since := sinceAge(i.pace.metadataAge(i.size()))
	if err := i.list(ctx, since); err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.refused != nil || i.installed.started.Before(since) {
		return nil, errors.New("the list of machines is incomplete or suspiciously short")
	}
	addresses := map[string]bool{}
	for _, r := range i.installed.byID {
		for _, a := range r.Addresses {
			addresses[a.Address] = true
		}
	}
	return addresses, nil
}

// namedWant is how the machine of a Node of that name is looked up.
func (i *Inventory) namedWant(name string) want {
	if id := i.nameID(name); id != "" {
		return want{id: id}
	}
	return want{name: name}
}

// pickNames adds the machines that were seen at since or later, and returns the names that the
// cloud has to be asked for.
func (i *Inventory) pickNames(found map[string]cloud.Instance, names []string, since time.Time) []string {
	var rest []string
	listed := i.listedSince(since)
	for _, name := range names {
		r, err := i.known(i.namedWant(name), since)
		said, asked := i.said(name)
		if r == nil && said != "" {
			r, err = i.known(want{id: said}, since)
		}
		switch {
		case r != nil:
			found[name] = copied(r.Instance)
		case err != nil, listed && asked && said == "": // several machines, or none
		default:
			rest = append(rest, name)
		}
	}
	return rest
}

// said returns what the cloud said for the name, and whether it was asked.
func (i *Inventory) said(name string) (id cloud.InstanceID, asked bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if a, ok := i.named[name]; ok && time.Since(a.at) < nameAge {
		return a.id, true
	}
	return "", false
}

// answered remembers what the cloud said for the name, and forgets what is too old.
func (i *Inventory) answered(name string, machines []cloud.Instance) {
	a := answer{at: time.Now()}
	if len(machines) == 1 {
		a.id = machines[0].ID
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.DeleteFunc(i.named, func(_ string, old answer) bool { return time.Since(old.at) >= nameAge })
	i.named[name] = a
}
