package balancer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// flavour is what clouds differ in where it matters to who finds, deletes and records load balancers.
type flavour struct {
	// ids says that an annotation has the id of the load balancer. Elsewhere its name is unique.
	ids bool
	// tagged says that load balancers have ownership tags. Elsewhere their names are unique and hold the UID of the Service.
	tagged bool
	// bulk says that all are read with one request where many Services ask.
	bulk bool
	// slow says that creations and deletions go on for seconds after their answers.
	slow bool
	// late says that reads show what was made up to 40 s later: less than creation.SettlingForDeletion. Where neither the process
	// nor the Service remembers a creation, reads show it at once: nobody could know of it.
	late bool
	// rests says that something may be left of a load balancer that is gone, which takes another deletion.
	rests bool
	// aliens are load balancers that nobody's ownership tags are on.
	aliens aliens
}

// aliens say what leads from a Service to a load balancer that is not its own.
type aliens int

const (
	noAliens aliens = iota
	// namedAliens have the name that the Service's would get, and only what is proven is taken over.
	namedAliens
	// recordedAliens have the id that the Service of another controller names in its annotation.
	recordedAliens
)

func (f flavour) unique() bool { return !f.ids || !f.tagged }

// stored is a load balancer in the cloud.
type stored struct {
	cloud.Balancer
	id, address string
	// uid is its Service, "" where it is none of ours.
	uid types.UID
	// active, shown and gone are when it becomes so. Only one that is being deleted has the last.
	active, shown, gone time.Time
	// maker is the process that knows from the answer that it was made.
	maker *process
}

// modelCloud is the cloud of the model as one process sees it: a driver for the real manager. Each request takes a moment, may fail
// before or after it is carried out, and may be the last one of its process.
type modelCloud struct {
	*process
	flavour flavour
}

var (
	errRefused = errors.New("the cloud is away")
	errLost    = fmt.Errorf("the answer is lost: %w", io.ErrUnexpectedEOF)
	errTaken   = errors.New("the name is taken")
)

func (c *modelCloud) Identity(context.Context) (cloud.Identity, error) { return cloud.Identity{}, nil }

func (c *modelCloud) Instances() cloud.Instances { return nil }

func (c *modelCloud) Classify(err error) cloud.Failure {
	switch {
	case errors.Is(err, errRefused):
		return cloud.Failure{Class: cloud.FailureTransient}
	case errors.Is(err, errTaken):
		return cloud.Failure{Class: cloud.FailureConflict}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

// request is one request to the cloud.
func (c *modelCloud) request(work func() error) error {
	c.mu.Lock()
	takes := time.Duration(c.random.IntN(3)) * 700 * time.Millisecond
	c.mu.Unlock()
	time.Sleep(takes)
	return c.call(func() error {
		n := c.random.IntN(200)
		if n < c.failing/2 {
			return errRefused
		}
		c.sweep()
		if err := work(); err != nil || n >= c.failing {
			return err
		}
		return errLost
	})
}

// trust returns nil where the credentials see the right account.
func (c *modelCloud) trust(context.Context) error {
	return c.request(func() error {
		if c.blind {
			return errors.New("the account is another one")
		}
		return nil
	})
}

// sweep removes what was being deleted and is gone by now.
func (m *model) sweep() {
	maps.DeleteFunc(m.balancers, func(_ string, s *stored) bool { return !s.gone.IsZero() && !s.gone.After(time.Now()) })
}

// snapshot is what one reading shows.
type snapshot struct {
	of        *modelCloud
	balancers []cloud.Observed
	rests     map[types.UID]bool
}

func (c *modelCloud) snapshot() snapshot {
	list := snapshot{of: c, rests: map[types.UID]bool{}}
	if !c.blind {
		list.rests = maps.Clone(c.rests)
	}
	for _, id := range slices.Sorted(maps.Keys(c.balancers)) {
		if s := c.balancers[id]; !c.blind && !c.hides(s) {
			list.balancers = append(list.balancers, s.observed())
		}
	}
	return list
}

// hides reports whether reads do not show a load balancer yet.
func (c *modelCloud) hides(s *stored) bool {
	if !s.shown.After(time.Now()) {
		return false
	}
	svc := c.services[strings.TrimPrefix(string(s.uid), "uid-")]
	recorded := svc != nil && creation.Of(svc) != nil && creation.Of(svc).ID == s.id
	return recorded || s.maker == c.process
}

func (s *stored) observed() cloud.Observed {
	o := cloud.Observed{Found: true, ID: s.id, State: cloud.BalancerActive, Balancer: s.Clone()}
	if len(s.OwnershipTags) > 0 {
		o.Owner = cloud.Owner{Cluster: "prod", UID: string(s.uid)}
	}
	if !s.gone.IsZero() || s.active.After(time.Now()) {
		o.State = cloud.BalancerPending
	} else {
		o.Addresses = []cloud.BalancerAddress{{IP: s.address}}
	}
	return o
}

func (c *modelCloud) Observe(ctx context.Context, in cloud.Input) (o cloud.Observed, err error) {
	list, err := c.list()
	if err != nil {
		return o, err
	}
	return list.Observe(ctx, in)
}

func (c *modelCloud) list() (list snapshot, err error) {
	err = c.request(func() error {
		list = c.snapshot()
		return nil
	})
	return list, err
}

// Observe implements cloud.BulkList.
func (list snapshot) Observe(_ context.Context, in cloud.Input) (o cloud.Observed, err error) {
	c := list.of
	o = ownership.OneOf(ownership.Search{Input: in, Names: []string{c.name(in)}, PassRefused: !c.flavour.unique()}, list.balancers, func(o cloud.Observed) cloud.Observed { return o })
	o.Orphans = !o.Found && list.rests[types.UID(in.Owner.UID)]
	return o, err
}

func (c *modelCloud) name(in cloud.Input) string {
	if c.flavour.tagged {
		return in.Owner.Name
	}
	return cloud.UIDName(in.Owner.UID)
}

func (c *modelCloud) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	b := cloud.Balancer{Name: c.name(in), Scope: cloud.ScopeExternal}
	if c.flavour.tagged {
		b.OwnershipTags = []string{"uid=" + in.Owner.UID}
	}
	for _, port := range in.Ports {
		b.Listeners = append(b.Listeners, port.Listener())
	}
	b.Preserve(in.Preserved)
	return b, nil, nil
}

func (c *modelCloud) Eligible(cloud.Balancer, cloud.Target) string { return "" }

func (c *modelCloud) Apply(_ context.Context, change cloud.Change) (progress cloud.Progress, err error) {
	var s *stored
	err = c.request(func() (err error) {
		if s = c.balancers[change.Before.ID]; s != nil && s.uid != types.UID(change.Input.Owner.UID) {
			c.problem("%s changed a load balancer that is not its own: %s", change.Input.Owner.Name, s.id)
		}
		switch {
		case change.After == nil:
			progress.Pending = c.remove(change, s)
		case s == nil:
			s, err = c.create(change)
		default:
			s.Balancer = change.After.Clone()
		}
		if err == nil && change.After != nil {
			o := s.observed()
			progress.Observed, progress.Pending = &o, o.State == cloud.BalancerPending
		}
		return err
	})
	if err != nil {
		return cloud.Progress{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if change.After != nil && !change.Before.Found {
		s.maker = c.process
	}
	return progress, nil
}

// create makes a load balancer. What was left of an earlier one is used.
func (c *modelCloud) create(change cloud.Change) (*stored, error) {
	owner := change.Input.Owner
	if c.blind {
		return nil, errRefused
	}
	if c.flavour.unique() && slices.ContainsFunc(slices.Collect(maps.Values(c.balancers)), func(s *stored) bool { return s.Name == change.After.Name }) {
		return nil, errTaken
	}
	c.serial++
	s := &stored{Balancer: change.After.Clone(), uid: types.UID(owner.UID), id: fmt.Sprint("lb-", c.serial), address: fmt.Sprintf("20.0.%d.%d", c.serial/250, c.serial%250)}
	if c.flavour.slow {
		s.active = time.Now().Add(time.Duration(c.random.IntN(20)) * time.Second)
	}
	if c.flavour.late {
		s.shown = time.Now().Add(time.Duration(c.random.IntN(40)) * time.Second)
	}
	c.balancers[s.id] = s
	delete(c.rests, s.uid)
	c.note(owner.Name, "cloud: made "+s.id)
	return s, nil
}

// remove deletes a load balancer, or what is left of one, and reports whether that goes on.
func (c *modelCloud) remove(change cloud.Change, s *stored) (goesOn bool) {
	uid := types.UID(change.Input.Owner.UID)
	delete(c.rests, uid)
	c.note(change.Input.Owner.Name, "cloud: deleted "+change.Before.ID)
	if s == nil {
		return false
	}
	if c.flavour.rests && c.random.IntN(3) == 0 {
		c.rests[uid] = true
	}
	s.gone = time.Now()
	if c.flavour.slow {
		s.gone = s.gone.Add(time.Duration(c.random.IntN(10)) * time.Second)
	}
	c.sweep()
	return c.balancers[s.id] != nil
}

// bulkCloud is a cloud that lists load balancers whole.
type bulkCloud struct{ *modelCloud }

func (c *bulkCloud) ListBalancers(context.Context) (cloud.BulkList, error) { return c.list() }
