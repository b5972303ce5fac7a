package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

const (
	// mostSingles bounds the reads of each kind in a round that are about one Node or machine, parallel the writes that run at once.
	mostSingles, parallel = 5, 8
	// mostAge is how long after the beginning of its reads a decision is written, writeLimit how long that may take.
	mostAge, writeLimit = 30 * time.Second, 10 * time.Second
	// settled is how long after it was seen a request is denied at the earliest: clouds show what has changed after some seconds.
	settled = 10 * time.Second
	// passing is how long what passes by itself is not told on a Node.
	passing = time.Minute
)

var (
	errTurn    = errors.New("others are looked up first")
	errChanged = errors.New("the Node has changed meanwhile")
	errOld     = fmt.Errorf("the cloud was asked more than %v ago", mostAge)
)

// turn is a request that is judged.
type turn struct {
	waiting
	decision judge.Decision
	// free says that this turn does not make the next one later.
	free bool
}

// round is what is known in one round, from reads that began in it.
type round struct {
	*Approver
	began   time.Time
	facts   judge.Facts
	read    map[judge.Fact]error
	singles map[judge.Kind]int
}

// round judges requests, and writes what was decided.
func (a *Approver) round(ctx context.Context, turns []*turn) {
	r := &round{a, time.Now(), judge.Facts{
		Cloud: a.Cloud, Nodes: judge.NodesOf(a.Cloud, a.Nodes()), Networks: a.Networks,
		Named: map[string][]cloud.Instance{}, States: map[cloud.InstanceID]cloud.State{}, Accounts: map[string]bool{},
	}, map[judge.Fact]error{}, map[judge.Kind]int{}}
	for _, t := range turns {
		if t.request == nil {
			request := judge.Read(t.csr, a.MostLife)
			t.request = &request
		}
	}
	for missing := r.judge(turns); len(missing) > 0; missing = r.judge(turns) {
		r.learn(ctx, missing)
	}
	var group errgroup.Group
	group.SetLimit(parallel)
	outcomes := make([]Outcome, len(turns))
	for n, t := range turns {
		group.Go(func() error {
			outcomes[n] = r.conclude(ctx, t)
			return nil
		})
	}
	_ = group.Wait() // what went wrong is in the outcomes
	for _, o := range outcomes {
		if o.Reason != judge.NotOurs && ctx.Err() == nil {
			a.Report(o)
		}
	}
}

// judge judges what is not decided. It returns the facts that are missing and were not asked for yet, in the order of the turns.
func (r *round) judge(turns []*turn) (missing []judge.Fact) {
	for _, t := range turns {
		if t.decision.Reason != "" && t.decision.Reason != judge.Unknown {
			continue
		}
		decision, err := run.Contain(func() judge.Decision { return r.facts.Judge(*t.request) })
		if err != nil { // a panic of the driver
			decision = judge.Decision{Reason: judge.Unknown}
		} else if decision.Reason == judge.Unknown {
			var asked bool
			if err, asked = r.read[decision.Missing]; !asked {
				missing = append(missing, decision.Missing)
			}
		}
		if err != nil {
			decision.Message = err.Error()
		}
		t.decision, t.free = decision, errors.Is(err, errTurn)
	}
	return missing
}

// learn reads facts, each once. Whose account it is is proved when nothing else is missing: what was read before counts then.
func (r *round) learn(ctx context.Context, missing []judge.Fact) {
	others := slices.ContainsFunc(missing, func(f judge.Fact) bool { return f.Kind != judge.Account })
	for _, fact := range missing {
		if _, asked := r.read[fact]; !asked && (!others || fact.Kind != judge.Account) {
			r.read[fact] = r.learnOne(ctx, fact)
		}
	}
}

func (r *round) learnOne(ctx context.Context, fact judge.Fact) (err error) {
	if r.singles[fact.Kind]++; r.singles[fact.Kind] > mostSingles && (fact.Kind == judge.Name || fact.Kind == judge.State) {
		return errTurn
	}
	switch fact.Kind {
	case judge.List:
		var list []cloud.Instance
		if r.facts.Reserved, err = r.Reserved(ctx); err == nil {
			list, err = r.Machines.Listed(ctx, r.began)
		}
		if err == nil {
			r.facts.Machines = judge.MachinesOf(list)
		}
	case judge.Name:
		var found []cloud.Instance
		if found, err = r.Cloud.Instances.FindByName(ctx, fact.Of); err == nil {
			r.facts.Named[fact.Of] = found
		}
	case judge.State:
		var found map[cloud.InstanceID]cloud.Instance
		id := cloud.InstanceID(fact.Of)
		if found, err = r.Cloud.Instances.Get(ctx, id); err == nil {
			r.facts.States[id] = found[id].State
		}
	case judge.Account:
		err = r.Machines.Trust(ctx, fact.Of)
		r.facts.Accounts[fact.Of] = err == nil
	}
	if err != nil {
		return fmt.Errorf("asking for %s: %w", fact, err)
	}
	return nil
}

// conclude writes a decision.
func (r *round) conclude(ctx context.Context, t *turn) Outcome {
	o := Outcome{Decision: t.decision, Request: t.csr.Name, Node: r.facts.Nodes.Named(t.request.Node), Waited: time.Since(t.seen)}
	o.Denied = r.Deny && o.Reason == judge.Contradiction && t.contradicts && o.Waited >= settled
	done := o.Reason == judge.Approved || o.Denied
	if done {
		writing, cancel := context.WithTimeout(ctx, writeLimit)
		o.Err = r.write(writing, t, o)
		cancel()
		done = o.Err == nil
	}
	passes := (o.Reason == judge.Early || o.Reason == judge.Unknown) && o.Waited < passing
	o.New = o.Reason != judge.Approved && o.Reason != t.told && !passes
	t.free = t.free || o.Reason == judge.Early && passes
	r.queue.settle(t, o, done)
	return o
}

// write writes a decision, unless somebody else did, or the Node is not the one that was judged. A request never changes.
func (r *round) write(ctx context.Context, t *turn, o Outcome) error {
	live, err := r.Requests.Get(ctx, t.csr.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("reading the request %q: %w", t.csr.Name, err)
	case live.UID != t.csr.UID, !judge.Open(live):
		return nil
	}
	node, err := r.Node(ctx, o.Node.Name)
	switch {
	case err != nil:
		return fmt.Errorf("reading node %s: %w", o.Node.Name, err)
	case node.UID != o.Node.UID, node.Spec.ProviderID != o.Node.Spec.ProviderID, node.DeletionTimestamp != nil:
		return errChanged
	case time.Since(r.began) > mostAge:
		return errOld
	}
	condition := certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "CloudProves", Message: o.Message,
	}
	if o.Denied {
		condition.Type, condition.Reason = certificatesv1.CertificateDenied, "CloudContradicts"
	}
	live.Status.Conditions = append(live.Status.Conditions, condition)
	if _, err := r.Requests.UpdateApproval(ctx, live.Name, live, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("writing the decision about the request %q: %w", t.csr.Name, err)
	}
	return nil
}
