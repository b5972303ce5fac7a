package certificate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

const (
	// parallel is how many requests to the API server run at once.
	parallel = 8
	// mostAge is how long a round reads and writes decisions after its beginning. writeLimit is how long one of them may take.
	mostAge, writeLimit = 30 * time.Second, 10 * time.Second
	// mostOpen is how long a round reads requests: with a low --kube-api-qps the others have to wait for the next one.
	mostOpen = 10 * time.Second
	// shared and alone are how long reads about single Nodes go on, while others wait and while nobody does.
	shared, alone = 2 * time.Second, 10 * time.Second
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
	node string
	// version is that of the request that was read, request what is in it. The rest is not kept: many requests are judged in a round.
	version  string
	request  judge.Request
	decision judge.Decision
	// err is why the request could not be read, free says that this turn does not make the next one later.
	err     error
	free    bool
	outcome Outcome
}

// round is what is known in one round, from reads that began in it. asked are the facts that were asked for.
type round struct {
	*Approver
	began time.Time
	facts judge.Facts
	asked map[judge.Fact]error
}

// round judges requests, and writes what was decided. Those for which reads of their own are needed come last.
func (a *Approver) round(ctx context.Context, turns []*turn) {
	r := &round{Approver: a, began: time.Now(), facts: judge.Facts{
		Cloud: a.Cloud, Nodes: judge.NodesOf(a.Cloud, a.Nodes()), Networks: a.Networks,
		Named: map[string][]cloud.Instance{}, States: map[cloud.InstanceID]cloud.State{}, Accounts: map[string]bool{},
	}}
	reading, cancel := context.WithDeadline(ctx, r.began.Add(mostAge))
	defer cancel()
	each(turns, func(t *turn) { r.open(reading, t) })
	r.learn(reading, turns, judge.Reservation, judge.List, judge.Account)
	var now, later []*turn
	for _, t := range turns {
		if single(t.decision.Missing.Kind) {
			later = append(later, t)
		} else {
			now = append(now, t)
		}
	}
	r.conclude(ctx, now)
	r.learn(reading, later, judge.Name, judge.State, judge.Account)
	r.conclude(ctx, later)
}

// single reports whether facts of a kind are about one Node or machine.
func single(kind judge.Kind) bool { return kind == judge.Name || kind == judge.State }

// each does something with all turns, some at once.
func each(turns []*turn, do func(*turn)) {
	var group errgroup.Group
	group.SetLimit(parallel)
	for _, t := range turns {
		group.Go(func() error {
			do(t)
			return nil
		})
	}
	_ = group.Wait() // there is no error
}

// open reads a request, unless its Node decides about all of them.
func (r *round) open(ctx context.Context, t *turn) {
	if time.Since(r.began) > mostOpen {
		t.decision, t.err = judge.Decision{Reason: judge.Failed, Message: errTurn.Error()}, errTurn
		return
	}
	var live *certificatesv1.CertificateSigningRequest
	before, err := run.Contain(func() *judge.Decision { return r.facts.Before(t.node) })
	if before == nil && err == nil { // not a panic of the driver
		live, err = r.Requests.Get(ctx, t.name, metav1.GetOptions{})
	}
	switch {
	case before != nil:
		t.decision = *before
	case apierrors.IsNotFound(err), err == nil && live.UID != t.uid:
		t.decision = judge.Decision{Reason: judge.Overtaken, Message: "the request is gone"}
	case err != nil:
		t.decision.Reason, t.err = judge.Failed, fmt.Errorf("reading the request %q: %w", t.name, err)
	case !judge.Open(live):
		t.decision = judge.Decision{Reason: judge.Overtaken, Message: "somebody else has decided"}
	default:
		t.version = live.ResourceVersion
		// A kubelet chose the bytes, and other code reads them too.
		t.request, err = run.Contain(func() judge.Request { return judge.Read(live, r.MostLife) })
		if err != nil {
			t.decision.Reason, t.err = judge.Failed, fmt.Errorf("reading the request %q: %w", t.name, err)
		}
	}
}

// learn judges requests, and reads the facts of these kinds that are missing. The account comes last: what was read before counts then.
func (r *round) learn(ctx context.Context, turns []*turn, kinds ...judge.Kind) {
	clear(r.facts.Accounts)
	r.asked = map[judge.Fact]error{}
	began := time.Now()
	for _, kind := range kinds {
		of, size := r.judge(turns)[kind], 1
		if kind == judge.State {
			size = max(size, r.Cloud.Descriptor.Limits.GetBatch)
		}
		for at := 0; at < len(of); at += size {
			some, err := of[at:min(at+size, len(of))], errTurn
			if at == 0 || !single(kind) || r.patient(began) {
				err = r.ask(ctx, kind, some)
			}
			for _, of := range some {
				r.asked[judge.Fact{Kind: kind, Of: of}] = err
			}
		}
	}
	r.judge(turns)
}

// patient reports whether another read about single Nodes is not too late.
func (r *round) patient(began time.Time) bool {
	now, limit := time.Now(), alone
	if !r.queue.next(now).After(now) {
		limit = shared
	}
	return now.Sub(began) < limit && now.Sub(r.began) < mostAge-alone
}

// judge judges what is not decided. It returns what the missing facts of each kind are about, in the order of the turns.
func (r *round) judge(turns []*turn) map[judge.Kind][]string {
	missing := map[judge.Kind][]string{}
	for _, t := range turns {
		if t.decision.Reason != "" && t.decision.Reason != judge.Unknown {
			continue
		}
		decision, err := run.Contain(func() judge.Decision { return r.facts.Judge(t.request) })
		fact := decision.Missing
		if err != nil { // a panic of the driver
			decision = judge.Decision{Reason: judge.Unknown}
		} else if asked, was := r.asked[fact]; was {
			err = asked
		} else if !slices.Contains(missing[fact.Kind], fact.Of) {
			missing[fact.Kind] = append(missing[fact.Kind], fact.Of)
		}
		if err != nil {
			decision.Message = err.Error()
		}
		t.decision, t.free = decision, errors.Is(err, errTurn)
	}
	return missing
}

// ask reads facts of a kind.
func (r *round) ask(ctx context.Context, kind judge.Kind, of []string) (err error) {
	switch kind {
	case judge.Reservation:
		var all []string
		var reserved judge.Reserved
		if all, err = r.Reserved(ctx); err == nil {
			reserved, err = judge.Reserve(slices.Concat(r.Reserve, all)...)
		}
		if err == nil {
			r.facts.Reserved = &reserved
		}
	case judge.List:
		var list []cloud.Instance
		if list, err = r.Machines.Listed(ctx, r.began); err == nil {
			r.facts.Machines = judge.MachinesOf(list)
		}
	case judge.Name:
		var found []cloud.Instance
		if found, err = r.Cloud.Instances.FindByName(ctx, of[0]); err == nil {
			r.facts.Named[of[0]] = found
		}
	case judge.State:
		var found map[cloud.InstanceID]cloud.Instance
		ids := make([]cloud.InstanceID, len(of))
		for n := range of {
			ids[n] = cloud.InstanceID(of[n])
		}
		if found, err = r.Cloud.Instances.Get(ctx, ids...); err == nil {
			for _, id := range ids {
				r.facts.States[id] = found[id].State
			}
		}
	case judge.Account:
		err = r.Machines.Trust(ctx, of[0])
		r.facts.Accounts[of[0]] = err == nil
	}
	if err != nil {
		return fmt.Errorf("asking for %s: %w", judge.Fact{Kind: kind, Of: of[0]}, err)
	}
	return nil
}

// passes reports whether a reason passes by itself.
func passes(reason judge.Reason) bool {
	return reason == judge.Unknown || reason == judge.Early || reason == judge.Failed
}

// conclude writes decisions, and reports what became of them.
func (r *round) conclude(ctx context.Context, turns []*turn) {
	each(turns, func(t *turn) { t.outcome = r.concludeOne(ctx, t) })
	for _, t := range turns {
		if t.outcome.Reason != judge.NotOurs && ctx.Err() == nil {
			r.Report(t.outcome)
		}
	}
}

func (r *round) concludeOne(ctx context.Context, t *turn) Outcome {
	o := Outcome{Decision: t.decision, Request: t.name, Node: r.facts.Nodes.Named(t.node), Waited: time.Since(t.seen), Err: t.err}
	o.Denied = r.Deny && o.Reason == judge.Contradiction && t.contradicts && o.Waited >= settled
	if o.Reason == judge.Approved || o.Denied {
		o.Err = r.write(ctx, t, o)
	}
	if o.Err != nil {
		o.Decision, o.Denied = judge.Decision{Reason: judge.Failed, Message: o.Err.Error()}, false
	}
	done := o.Reason == judge.Approved || o.Reason == judge.Overtaken || o.Denied
	early := passes(o.Reason) && o.Waited < passing
	o.New = !done && !early && !errors.Is(t.err, errTurn) && t.news(o.Reason)
	t.free = t.free || early && o.Reason == judge.Early
	r.queue.settle(t, o, done)
	return o
}

// write writes a decision, unless the request or the Node is not the one that was judged.
func (r *round) write(ctx context.Context, t *turn, o Outcome) error {
	rest := mostAge - time.Since(r.began)
	if rest <= 0 {
		return errOld
	}
	ctx, cancel := context.WithTimeout(ctx, min(rest, writeLimit))
	defer cancel()
	node, err := r.Node(ctx, t.node)
	switch {
	case err != nil:
		return fmt.Errorf("reading node %s: %w", t.node, err)
	case node.UID != o.Node.UID, node.Spec.ProviderID != o.Node.Spec.ProviderID, node.DeletionTimestamp != nil:
		return errChanged
	}
	condition := certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "CloudProves", Message: o.Message,
	}
	if o.Denied {
		condition.Type, condition.Reason = certificatesv1.CertificateDenied, "CloudContradicts"
	}
	// The request that was judged has no conditions. The API server refuses the patch where the request has another version by now.
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": t.uid, "resourceVersion": t.version},
		"status":   map[string]any{"conditions": []certificatesv1.CertificateSigningRequestCondition{condition}},
	})
	if err == nil {
		_, err = r.Requests.Patch(ctx, t.name, types.MergePatchType, patch, metav1.PatchOptions{}, "approval")
	}
	if err != nil {
		return fmt.Errorf("writing the decision about the request %q: %w", t.name, err)
	}
	return nil
}
