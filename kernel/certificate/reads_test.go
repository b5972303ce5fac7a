package certificate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Nodes whose names are not those of their machines are looked up one by one, with one list for as long as nobody else waits. The states
// of machines are read together.
func TestReadsAboutSingleNodes(t *testing.T) {
	const nodes = 400
	simulate(t, nodes, func(w *world) {
		for n := range w.machines {
			w.machines[n].Name = fmt.Sprintf("other-%d", n)
			w.machines[n].State = cloud.StateUnknown
		}
		w.options.Cloud.Descriptor.Limits.GetBatch = 100
		w.start()
		for n := range nodes {
			w.ask(n)
		}
		pass(15 * time.Second)
		if len(w.decided) != nodes || w.calls["find"] != nodes || w.calls["get"] != nodes/100 || w.calls["list"] != 1 || w.calls["trust"] != 1 {
			t.Errorf("%d of %d are approved, calls %v", len(w.decided), nodes, w.calls)
		}
	})
}

// Where the look-ups take long, others wait for two seconds of them at most, and those that asked first come first.
func TestOthersHardlyWaitForReadsAboutSingleNodes(t *testing.T) {
	const nodes = 60
	simulate(t, nodes+10, func(w *world) {
		for n := range nodes {
			w.machines[n].Name = fmt.Sprintf("other-%d", n)
		}
		w.onFind = func() error {
			w.mu.Unlock()
			time.Sleep(time.Second)
			w.mu.Lock()
			return nil
		}
		w.start()
		var requests []string
		for n := range nodes {
			requests = append(requests, w.ask(n))
			pass(time.Millisecond)
		}
		for n := range 10 {
			pass(10 * time.Second)
			began, request := time.Now(), w.ask(nodes+n)
			pass(5 * time.Second)
			w.change(func() {
				if at, done := w.decided[request]; !done || at.Sub(began) > 4500*time.Millisecond {
					t.Errorf("%s waits: %v", request, at.Sub(began))
				}
			})
		}
		for n := range nodes - 1 {
			if a, b := w.decided[requests[n]], w.decided[requests[n+1]]; a.IsZero() || b.IsZero() || b.Add(time.Second).Before(a) {
				t.Errorf("%s is approved at %v, %s at %v", requests[n], a, requests[n+1], b)
			}
		}
		if w.calls["find"] != nodes {
			t.Errorf("calls %v", w.calls)
		}
	})
}

// Those that need no reads of their own do not wait for them, and whose account it is is proved after each read.
func TestReadsAboutSingleNodesComeLast(t *testing.T) {
	simulate(t, 2, func(w *world) {
		w.machines[0].Name, w.machines[0].State = "other", cloud.StateUnknown
		w.start()
		requests := []string{w.ask(0), w.ask(1)}
		pass(time.Second)
		w.want(requests[0], approved)
		w.want(requests[1], approved)
		if order := strings.Join(w.order, " "); order != "reserved list trust patch find get trust patch" {
			t.Error(order)
		}
	})
}

// What was read before a request was made never counts, also where there is always another one.
func TestListsBeginAfterTheRequestsOfTheirRound(t *testing.T) {
	simulate(t, 100, func(w *world) {
		w.start()
		for n := range 100 {
			w.ask(n)
			pass(290 * time.Millisecond)
		}
		pass(10 * time.Second)
		if len(w.decided) != 100 || w.calls["list"] > 12 {
			t.Errorf("%d are approved, calls %v", len(w.decided), w.calls)
		}
	})
}

// A wrong or missing answer neither approves nor denies. When it is right again, the request is approved soon.
func TestWrongAnswersDecideNothing(t *testing.T) {
	down := func() error { return errors.New("503") }
	for what, fault := range map[string]func(*world){
		"the list fails":                        func(w *world) { w.onList = down },
		"the account is another one":            func(w *world) { w.onTrust = down },
		"a look-up fails":                       func(w *world) { w.onFind, w.machines[0].Name = down, "other" },
		"what is reserved is not known":         func(w *world) { w.onReserved = down },
		"the list is empty":                     func(w *world) { w.machines = nil },
		"the list has the machines of others":   func(w *world) { w.machines = w.machines[1:] },
		"the driver panics":                     func(w *world) { w.options.Cloud.Namer = panics{} },
		"the API server does not return a Node": func(w *world) { delete(w.nodes, name(0)) },
	} {
		t.Run(what, func(t *testing.T) {
			simulate(t, 2, func(w *world) {
				machines, node, namer := w.machines, w.nodes[name(0)], w.options.Cloud.Namer
				w.options.Deny = true
				fault(w)
				w.start()
				request := w.ask(0, ip(0), "10.9.9.9")
				rightful := w.ask(1)
				pass(10 * time.Minute)
				w.want(request, "")
				w.change(func() {
					w.onList, w.onTrust, w.onFind, w.onReserved, w.machines = nil, nil, nil, nil, machines
					w.nodes[name(0)], w.options.Cloud.Namer = node, namer
				})
				pass(10 * time.Minute)
				w.want(request, denied)
				w.want(rightful, approved)
			})
		})
	}
}

type panics struct{}

func (panics) NameID(string) cloud.InstanceID { panic("a mistake of the driver") }

func TestMissingAnswersDelayForHalfAMinute(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.onList = func() error { return errors.New("503") }
		w.start()
		request := w.ask(0)
		pass(time.Hour)
		w.want(request, "")
		w.change(func() { w.onList = nil })
		pass(30 * time.Second)
		w.want(request, approved)
		if news := w.news(); len(news) != 1 || !strings.Contains(news[0].String(), "asking for all machines: 503") {
			t.Errorf("told on the Node: %v", news)
		}
	})
}

// Nothing that a round asks for can stop the next one.
func TestReadsThatDoNotAnswerEnd(t *testing.T) {
	for _, what := range []string{"list", "trust", "reserved", "find", "get", "request"} {
		t.Run(what, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				w.machines[0].Name, w.machines[0].State = "other", cloud.StateUnknown
				w.hangs = what
				w.start()
				request := w.ask(0)
				pass(40 * time.Second)
				w.want(request, "")
				if len(w.outcomes) != 1 || !strings.Contains(w.outcomes[0].Message, "deadline exceeded") {
					t.Errorf("outcomes %v", w.outcomes)
				}
				w.change(func() { w.hangs = "" })
				pass(time.Minute)
				w.want(request, approved)
			})
		})
	}
}

// A proof of the account that takes long makes old what was read before.
func TestOldFactsAreReadAgain(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.onTrust = func() error {
			w.onTrust = nil
			time.Sleep(31 * time.Second)
			return nil
		}
		w.start()
		request := w.ask(0)
		pass(time.Minute)
		w.want(request, approved)
		if w.calls["list"] != 2 || w.outcomes[0].Reason != judge.Failed {
			t.Errorf("calls %v, outcomes %v", w.calls, w.outcomes)
		}
	})
}

// A kubelet beside an API server asks anew every quarter of an hour for as long as nobody approves. It costs the cloud nothing, and how
// long it waits is measured.
func TestKubeletBesideAnAPIServerCostsNoRead(t *testing.T) {
	simulate(t, 2, func(w *world) {
		w.reserved = []string{"https://" + ip(0) + ":6443"}
		w.start()
		for range 8 {
			w.want(w.ask(0), "")
			pass(15 * time.Minute)
		}
		if w.calls["list"]+w.calls["trust"]+w.calls["find"] > 0 || w.calls["reserved"] > 60 {
			t.Errorf("calls %v", w.calls)
		}
		if age := w.approver.Oldest(time.Now()); age != 2*time.Hour {
			t.Errorf("the Node waits for %v", age)
		}
		rightful := w.ask(1)
		pass(10 * time.Second)
		w.want(rightful, approved)
	})
}
