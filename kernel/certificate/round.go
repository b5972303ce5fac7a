package certificate

import (
	"context"
	"errors"
	"fmt"
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
	// mostSingles bounds the reads of each kind in a round that are about one Node or machine.
	mostSingles = 5
	// parallel bounds the calls that run at once.
	parallel = 8
	// mostAge is how long after the beginning of its reads a decision is written.
	mostAge = 30 * time.Second
	// writeLimit bounds one write.
	writeLimit = 10 * time.Second
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
	csr         *certificatesv1.CertificateSigningRequest
	seen, due   time.Time
	told        judge.Reason
	contradicts bool // at its last turn
	request     judge.Request
	decision    judge.Decision
	// free says that this turn does not make the next one later.
	free bool
}

// round judges requests with what is read from now on, and writes what was decided.
func (a *Approver) round(ctx context.Context, turns []*turn) {
	began := time.Now()
	facts := &judge.Facts{
		Cloud: a.Cloud, Nodes: judge.NodesOf(a.Cloud, a.Nodes()), Networks: a.Networks,
		Named: map[string][]cloud.Instance{}, States: map[cloud.InstanceID]cloud.State{}, Accounts: map[string]bool{},
	}
	r := &reader{Approver: a, facts: facts, began: began, failed: map[judge.Fact]error{}, singles: map[judge.Kind]int{}}
	for _, t := range turns {
		t.request = judge.Read(t.csr, a.MostLife)
	}
	for missing := r.judge(turns); len(missing) > 0; missing = r.judge(turns) {
		r.read(ctx, missing)
	}
	var group errgroup.Group
	group.SetLimit(parallel)
	for _, t := range turns {
		group.Go(func() error {
			a.conclude(ctx, t, facts.Nodes.Named(t.request.Node), began)
			return nil
		})
	}
	_ = group.Wait() // what went wrong is reported
}

// conclude writes a decision and reports it.
func (a *Approver) conclude(ctx context.Context, t *turn, node *corev1.Node, began time.Time) {
	o := Outcome{Decision: t.decision, Request: t.csr.Name, Node: node, Waited: time.Since(t.seen)}
	o.Denied = a.Deny && o.Reason == judge.Contradiction && t.contradicts && o.Waited >= settled
	done := o.Reason == judge.Approved || o.Denied
	if done {
		writing, cancel := context.WithTimeout(ctx, writeLimit)
		o.Err = a.write(writing, t, node, o.Denied, began)
		cancel()
		done = o.Err == nil
	}
	passes := (o.Reason == judge.Early || o.Reason == judge.Unknown) && o.Waited < passing
	o.New = o.Reason != judge.Approved && o.Reason != t.told && !passes
	t.free = t.free || o.Reason == judge.Early && passes
	a.queue.settle(t, o, done)
	if o.Reason != judge.NotOurs && ctx.Err() == nil {
		a.reporting.Lock()
		defer a.reporting.Unlock()
		a.Report(o)
	}
}

// write writes a decision, unless somebody else did, or the Node is not the one that was judged. A request never changes.
func (a *Approver) write(ctx context.Context, t *turn, judged *corev1.Node, denied bool, began time.Time) error {
	live, err := a.Requests.Get(ctx, t.csr.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the request %q: %w", t.csr.Name, err)
	}
	if live.UID != t.csr.UID || !judge.Open(live) {
		return nil
	}
	node, err := a.Node(ctx, judged.Name)
	switch {
	case err != nil:
		return fmt.Errorf("reading node %s: %w", judged.Name, err)
	case node.UID != judged.UID || node.Spec.ProviderID != judged.Spec.ProviderID || node.DeletionTimestamp != nil:
		return errChanged
	case time.Since(began) > mostAge:
		return errOld
	}
	condition := certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "CloudTellsAll", Message: t.decision.Message,
	}
	if denied {
		condition.Type, condition.Reason = certificatesv1.CertificateDenied, "CloudContradicts"
	}
	live.Status.Conditions = append(live.Status.Conditions, condition)
	if _, err := a.Requests.UpdateApproval(ctx, live.Name, live, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("writing the decision about the request %q: %w", t.csr.Name, err)
	}
	return nil
}

// reader reads the facts that a round needs, each once.
type reader struct {
	*Approver
	facts   *judge.Facts
	began   time.Time
	singles map[judge.Kind]int
	failed  map[judge.Fact]error
}

// judge judges what is not decided. It returns the facts that are missing and were not read yet, in the order of the turns.
func (r *reader) judge(turns []*turn) []judge.Fact {
	var missing []judge.Fact
	for _, t := range turns {
		if t.decision.Reason != "" && t.decision.Reason != judge.Unknown {
			continue
		}
		decision, err := run.Contain(func() judge.Decision { return r.facts.Judge(t.request) })
		if err != nil { // a panic of the driver
			decision = judge.Decision{Reason: judge.Unknown}
		} else if decision.Reason == judge.Unknown {
			if err = r.failed[decision.Missing]; err == nil {
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

// read reads the missing facts of the kind that comes first.
func (r *reader) read(ctx context.Context, missing []judge.Fact) {
	for _, kind := range []judge.Kind{judge.List, judge.Name, judge.State, judge.Account} {
		some := map[judge.Fact]bool{}
		for _, fact := range missing {
			if fact.Kind != kind || some[fact] {
				continue
			}
			some[fact] = true
			if err := r.readOne(ctx, fact); err != nil {
				r.failed[fact] = err
			}
		}
		if len(some) > 0 {
			return
		}
	}
}

func (r *reader) readOne(ctx context.Context, fact judge.Fact) (err error) {
	switch fact.Kind {
	case judge.List:
		if r.facts.Reserved, err = r.Reserved(ctx); err != nil {
			return fmt.Errorf("reading what is reserved: %w", err)
		}
		list, err := r.Machines.Listed(ctx, r.began)
		if err != nil {
			return fmt.Errorf("listing machines: %w", err)
		}
		r.facts.Machines = judge.MachinesOf(list)
	case judge.Account:
		if err := r.Machines.Trust(ctx, fact.Of); err != nil {
			return fmt.Errorf("proving which account the credentials see: %w", err)
		}
		r.facts.Accounts[fact.Of] = true
	default:
		return r.readSingle(ctx, fact)
	}
	return nil
}

func (r *reader) readSingle(ctx context.Context, fact judge.Fact) error {
	if r.singles[fact.Kind]++; r.singles[fact.Kind] > mostSingles {
		return errTurn
	}
	if fact.Kind == judge.Name {
		found, err := r.Cloud.Instances.FindByName(ctx, fact.Of)
		if err == nil {
			r.facts.Named[fact.Of] = found
		}
		return err
	}
	id := cloud.InstanceID(fact.Of)
	found, err := r.Cloud.Instances.Get(ctx, id)
	if err == nil {
		r.facts.States[id] = found[id].State
	}
	return err
}
