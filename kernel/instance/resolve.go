package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// errNotItsTurn says that the cloud was not asked, to stay within its limits.
var errNotItsTurn = errors.New("not in the list of machines, and too many others are being read one by one: its turn comes later")

const (
	// parallelReads bounds the single reads of one batch that run at once.
	parallelReads = 8
	// firstMiss and maxMiss are how long a definite not-found answers the next questions
	// for the same machine; it doubles from the one to the other.
	firstMiss = 5 * time.Second
	maxMiss   = 30 * time.Second
)

// want is a machine somebody asks for: by id, or by name where the Node has no id yet.
type want struct {
	id   cloud.InstanceID
	name string
}

func (w want) String() string {
	if w.id != "" {
		return "machine " + string(w.id)
	}
	return fmt.Sprintf("machine named %q", w.name)
}

// miss remembers a definite not-found.
type miss struct {
	at   time.Time
	wait time.Duration
}

// NotFoundError says that the cloud definitely has no such machine right now. It is no
// proof that a Node's machine is gone.
type NotFoundError struct{ what string }

func (e *NotFoundError) Error() string { return "the cloud has no " + e.what }

// AmbiguousError says that several machines have a Node's name.
type AmbiguousError struct {
	Name string
	// IDs are sorted.
	IDs []cloud.InstanceID
}

func (e *AmbiguousError) Error() string {
	ids := make([]string, len(e.IDs))
	for n, id := range e.IDs {
		ids[n] = string(id)
	}
	return fmt.Sprintf("%d machines are named %q: %s", len(ids), e.Name, strings.Join(ids, ", "))
}

// known returns the machine from what was read at since or later; nil when it is not in
// there. Names are looked up only in lists that are believed.
func (i *Inventory) known(w want, since time.Time) (*record, error) {
	if w.id != "" {
		if r := i.sighting(w.id); r != nil && !r.seen.Before(since) {
			return r, nil
		}
		return nil, nil
	}
	i.mu.Lock()
	s := i.installed
	i.mu.Unlock()
	var found []*record
	for _, id := range s.byName[w.name] {
		if r := s.byID[id]; !r.seen.Before(since) && !i.cases.confirmed(id) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	default:
		return nil, ambiguous(w.name, s.byName[w.name])
	}
}

func ambiguous(name string, ids []cloud.InstanceID) error {
	return &AmbiguousError{Name: name, IDs: slices.Sorted(slices.Values(ids))}
}

// lookUp reads a machine that no list shows. Questions that come together are answered
// together, and a definite not-found is remembered for a while.
func (i *Inventory) lookUp(ctx context.Context, w want) (cloud.Instance, error) {
	if i.missed(w) {
		return cloud.Instance{}, &NotFoundError{w.String()}
	}
	found, err := i.misses.ask(ctx, w)
	switch {
	case err != nil:
		return cloud.Instance{}, err
	case len(found) == 0:
		return cloud.Instance{}, &NotFoundError{w.String()}
	case len(found) > 1:
		ids := make([]cloud.InstanceID, len(found))
		for n := range found {
			ids[n] = found[n].ID
		}
		return cloud.Instance{}, ambiguous(w.name, ids)
	default:
		return found[0], nil
	}
}
