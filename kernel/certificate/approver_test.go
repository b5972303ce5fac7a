package certificate_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	approved = certificatesv1.CertificateApproved
	denied   = certificatesv1.CertificateDenied
)

func TestRequestIsApprovedAtOnce(t *testing.T) {
	simulate(t, 2, func(w *world) {
		w.start()
		request := w.ask(0)
		pass(time.Second)
		w.want(request, approved)
		pass(time.Hour)
		if len(w.outcomes) != 1 || w.outcomes[0].Reason != judge.Approved || w.outcomes[0].New || w.calls["list"] != 1 || w.calls["update"] != 1 {
			t.Errorf("outcomes %v, calls %v", w.outcomes, w.calls)
		}
	})
}

// A burst costs one list, which begins after the last request of it.
func TestBurst(t *testing.T) {
	const nodes = 1000
	simulate(t, nodes, func(w *world) {
		w.start()
		began := time.Now()
		for n := range nodes {
			w.ask(n)
			pass(time.Millisecond)
		}
		pass(10 * time.Second)
		if len(w.decided) != nodes || w.calls["list"] != 1 || w.calls["trust"] != 1 || w.calls["find"] != 0 {
			t.Errorf("%d of %d are approved, with calls %v", len(w.decided), nodes, w.calls)
		}
		for request, at := range w.decided {
			if w.condition(request) != approved || at.Sub(began) > 10*time.Second {
				t.Fatalf("%s is %q after %v", request, w.condition(request), at.Sub(began))
			}
		}
	})
}

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
		if order := strings.Join(w.order, " "); order != "reserved list trust update find get trust update" {
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

func TestNodeThatAsksEverySecondDelaysNobody(t *testing.T) {
	simulate(t, 40, func(w *world) {
		w.start()
		for second := range 600 {
			w.ask(0, "10.99.99.99") // another one's
			if second%20 == 10 {
				began, request := time.Now(), w.ask(1+second/20)
				pass(999 * time.Millisecond)
				w.change(func() {
					if at, done := w.decided[request]; !done || at.Sub(began) > time.Second {
						t.Errorf("%s waits at %d s", request, second)
					}
				})
			}
			pass(time.Second)
		}
		// One for each of the others, and some for the Node that asks: its turns are further and further apart.
		if lists := w.calls["list"]; lists > 30+12 {
			t.Errorf("%d lists", lists)
		}
		if len(w.news()) != 1 {
			t.Errorf("told on Nodes: %v", w.news())
		}
	})
}

// With valid requests it costs no more.
func TestNodeThatIsApprovedEverySecondCostsLittle(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.start()
		for range 600 {
			w.ask(0)
			pass(time.Second)
		}
		if w.calls["list"] > 12 || w.calls["list"] != w.calls["update"] {
			t.Errorf("calls %v", w.calls)
		}
	})
}

func TestLatestRequestOfANodeIsJudged(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.start()
		older := w.ask(0)
		pass(100 * time.Millisecond)
		later := w.ask(0)
		_ = w.approver.Update(w.request(older)) // somebody has labelled it
		pass(time.Minute)
		w.want(older, "")
		w.want(later, approved)
	})
}

// API servers' clocks differ: a later request may seem to be older.
func TestOrderOfArrivalCounts(t *testing.T) {
	simulate(t, 2, func(w *world) {
		earlier := func(csr *certificatesv1.CertificateSigningRequest) {
			csr.CreationTimestamp = metav1.NewTime(csr.CreationTimestamp.Add(-5 * time.Second))
		}
		w.start()
		w.ask(0)
		later := w.askAs("later", 0, earlier)
		pass(time.Second)
		w.want(later, approved)
		first := w.ask(1) // a list shows both, in any order
		last := w.askAs("last", 1, earlier)
		_ = w.approver.Replace([]any{w.request(last), w.request(first)}, "2")
		pass(time.Second)
		w.want(first, "")
		w.want(last, approved)
	})
}

// What another list shows counts: a request that it lacks is gone, also while nobody could see that.
func TestListAfterAnotherOne(t *testing.T) {
	simulate(t, 3, func(w *world) {
		w.onList = func() error { return errors.New("503") }
		w.start()
		older := w.ask(0)
		pass(5 * time.Second)
		later, gone, decided := w.ask(0), w.ask(1), w.ask(2)
		before := 0
		w.change(func() {
			w.requests[decided].Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: denied, Status: corev1.ConditionTrue}}
			_ = w.approver.Replace([]any{w.requests[later], w.requests[older], w.requests[decided]}, "2")
			before, w.onList = len(w.outcomes), nil
		})
		pass(time.Minute)
		w.want(older, "")
		w.want(later, approved)
		w.want(gone, "")
		w.want(decided, denied)
		if judged := w.outcomes[before:]; len(judged) != 1 || judged[0].Request != later {
			t.Errorf("judged: %v", judged)
		}
	})
}

func TestRequestThatComesWhileAnotherOneIsJudged(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.start()
		first := w.ask(0)
		pass(350 * time.Millisecond)
		second := w.ask(0)
		pass(5 * time.Second)
		w.want(first, approved)
		w.want(second, approved)
	})
}

// For more Nodes than there are in a cluster nothing is kept. Those that do not exist make way for others.
func TestNodesAreBounded(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.create()
		const most = 20000
		csr := w.request(w.askAs("csr", 1, nil))
		for n := range most {
			other := csr.DeepCopy()
			other.Name, other.UID, other.Spec.Username = name(n+1), types.UID(name(n+1)), "system:node:"+name(n+1)
			_ = w.approver.Add(other)
		}
		refused := w.ask(0)
		w.run()
		pass(time.Second)
		w.change(func() {
			if len(w.outcomes) != most {
				t.Errorf("%d are judged, want %d", len(w.outcomes), most)
			}
		})
		w.want(refused, "")
		later := w.ask(0)
		pass(time.Second)
		w.want(later, approved)
		if w.calls["list"] != 1 {
			t.Errorf("calls %v", w.calls)
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

func TestDenial(t *testing.T) {
	for _, deny := range []bool{false, true} {
		t.Run(fmt.Sprint(deny), func(t *testing.T) {
			simulate(t, 2, func(w *world) {
				w.options.Deny = deny
				w.start()
				contradicts, rightful := w.ask(0, ip(1)), w.ask(1)
				pass(9 * time.Second)
				w.want(contradicts, "") // the cloud may only be late
				pass(time.Hour)
				w.want(rightful, approved)
				if deny {
					w.want(contradicts, denied)
				} else {
					w.want(contradicts, "")
				}
			})
		})
	}
}

// What waits is told once on its Node, with what to do.
func TestWaitingIsToldOnce(t *testing.T) {
	for request, command := range map[string]bool{"csr-x": true, "a; reboot": false, "$(reboot)": false} {
		t.Run(request, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				w.start()
				w.askAs(request, 0, nil, "10.9.9.9")
				pass(3 * time.Hour)
				news := w.news()
				if len(news) != 1 || news[0].Reason != judge.Contradiction || news[0].Node.Name != name(0) || news[0].Waited > time.Second {
					t.Fatalf("told: %v", news)
				}
				text := news[0].String()
				if !strings.Contains(text, fmt.Sprintf("%q", request)) || strings.HasSuffix(text, "kubectl certificate approve "+request) != command {
					t.Error(text)
				}
			})
		})
	}
}

// A Node is told the same of another request after an hour, so that the command on it names one that waits.
func TestLaterRequestsAreToldOnceAnHour(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.start()
		for range 12 { // as a kubelet asks
			w.ask(0, "10.9.9.9")
			pass(15 * time.Minute)
		}
		news := w.news()
		if len(news) != 3 || news[0].Request != "csr-1" || news[1].Request != "csr-5" || news[2].Request != "csr-9" {
			t.Errorf("told: %v", news)
		}
	})
}

// A Node that was told, and that does not ask for a while, is not told the same before the hour is over.
func TestWhatWasToldIsRemembered(t *testing.T) {
	simulate(t, 2, func(w *world) {
		w.start()
		for range 4 {
			w.ask(0, "10.9.9.9")
			pass(time.Minute)
			_ = w.approver.Replace(nil, "9")
			pass(12 * time.Minute)
			w.ask(1)
			pass(time.Minute)
		}
		if news := w.news(); len(news) != 1 {
			t.Errorf("told: %v", news)
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

// The operator reserves what no cloud knows to be special, such as a load balancer in front of the API server, which is a machine too.
func TestOperatorReserves(t *testing.T) {
	for _, reserved := range []string{"Node-0", "10.0.0.1", "10.0.0.0/31", "https://10.0.0.1:6443"} {
		for _, read := range []bool{false, true} {
			t.Run(fmt.Sprint(reserved, read), func(t *testing.T) {
				simulate(t, 2, func(w *world) {
					if w.options.Reserve = []string{reserved}; read {
						w.options.Reserve, w.reserved = nil, w.options.Reserve
					}
					w.start()
					request, other := w.ask(0, name(0)), w.ask(1)
					pass(time.Minute)
					w.want(request, "")
					w.want(other, approved)
					if news := w.news(); len(news) != 1 || news[0].Reason != judge.Kept {
						t.Errorf("told: %v", news)
					}
				})
			})
		}
	}
	if _, err := certificate.New(certificate.Options{Reserve: []string{"10.0.0.0/33"}}); err == nil {
		t.Error("what is nothing can be reserved")
	}
}

// What is read to be reserved, and is nothing that can be, keeps all waiting.
func TestMalformedReservation(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.reserved = []string{"*.example.com"}
		w.start()
		request := w.ask(0)
		pass(10 * time.Minute)
		w.want(request, "")
		w.change(func() { w.reserved = nil })
		pass(time.Minute)
		w.want(request, approved)
	})
}

func TestFailedWritesAreRepeated(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "certificatesigningrequests"}, "x", errors.New("it has changed"))
	for what, failure := range map[string]error{"conflict": conflict, "5xx": apierrors.NewInternalError(errors.New("etcd"))} {
		t.Run(what, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				tries := 0
				w.onUpdate = func() error {
					if tries++; tries < 4 {
						return failure
					}
					return nil
				}
				w.start()
				request := w.ask(0)
				pass(10 * time.Second)
				w.want(request, approved)
				if w.calls["list"] != 4 {
					t.Errorf("calls %v: each try needs a list of its own", w.calls)
				}
				for n, o := range w.outcomes {
					if want := n == 3; len(w.outcomes) != 4 || (o.Reason == judge.Approved) != want || (o.Err == nil) != want || !want && o.Reason != judge.Failed {
						t.Errorf("outcomes %v", w.outcomes)
					}
				}
			})
		})
	}
}

// Who may not write approvals learns it from the Node.
func TestWritesThatKeepFailingAreTold(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.onUpdate = func() error { return apierrors.NewForbidden(resource, "x", errors.New("no right")) }
		w.start()
		w.ask(0)
		pass(50 * time.Second)
		if news := w.news(); len(news) > 0 {
			t.Errorf("told: %v", news)
		}
		pass(time.Hour)
		if news := w.news(); len(news) != 1 || news[0].Reason != judge.Failed || !strings.Contains(news[0].String(), "no right") {
			t.Errorf("told: %v", news)
		}
	})
}

// Before a request is judged, and between the judgment and the write, the world may change. What became of the request is reported.
func TestChangesMeanwhile(t *testing.T) {
	for what, change := range map[string]func(*world, string) judge.Reason{
		"the request is gone": func(w *world, request string) judge.Reason { delete(w.requests, request); return judge.Overtaken },
		"another request has its name": func(w *world, request string) judge.Reason {
			w.requests[request].UID = "another"
			return judge.Overtaken
		},
		"somebody denied it": func(w *world, request string) judge.Reason {
			w.requests[request].ResourceVersion = "200"
			w.requests[request].Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: denied}, {}}
			return judge.Overtaken
		},
		"the Node was made again":        func(w *world, _ string) judge.Reason { w.nodes[name(0)].UID = "another"; return "" },
		"the Node names another machine": func(w *world, _ string) judge.Reason { w.nodes[name(0)].Spec.ProviderID = "test://m-9"; return "" },
		"the Node is being deleted": func(w *world, _ string) judge.Reason {
			w.nodes[name(0)].DeletionTimestamp = new(metav1.Now())
			return ""
		},
		"the Node is gone": func(w *world, _ string) judge.Reason { delete(w.nodes, name(0)); return "" },
	} {
		for _, early := range []bool{false, true} {
			t.Run(fmt.Sprint(what, early), func(t *testing.T) {
				simulate(t, 1, func(w *world) {
					want := judge.Failed
					w.onNode = func() error {
						w.onNode = nil
						change(w, "csr-1")
						return nil
					}
					w.start()
					w.ask(0)
					if early {
						w.change(func() {
							if w.onNode = nil; change(w, "csr-1") == "" {
								w.t.Skip("it is judged as it is now")
							}
						})
						want = judge.Overtaken
					}
					pass(900 * time.Millisecond)
					if w.onNode != nil || len(w.outcomes) != 1 || w.outcomes[0].Reason != want || w.outcomes[0].New || len(w.decided) > 0 {
						t.Errorf("outcomes %v", w.outcomes)
					}
				})
			})
		}
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

func TestNodesOfOthersAreNotMentioned(t *testing.T) {
	simulate(t, 2, func(w *world) {
		w.options.Deny = true
		w.nodes[name(0)].Spec.ProviderID = "other://m-0"
		w.nodes[name(1)].Spec.ProviderID = ""
		w.start()
		w.ask(0)
		w.ask(1)
		pass(time.Hour)
		if len(w.outcomes)+len(w.calls) > 0 {
			t.Errorf("outcomes %v, calls %v", w.outcomes, w.calls)
		}
	})
}

// A kubelet asks before its Node has its machine, or before it is there.
func TestNodeThatGetsItsMachine(t *testing.T) {
	simulate(t, 2, func(w *world) {
		late := w.nodes[name(1)]
		delete(w.nodes, name(1))
		w.nodes[name(0)].Spec = corev1.NodeSpec{Taints: []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized"}}}
		w.start()
		requests := []string{w.ask(0), w.ask(1)}
		pass(45 * time.Second)
		if news := w.news(); len(news) > 0 {
			t.Errorf("told: %v", news)
		}
		w.change(func() {
			if w.calls["list"] > 0 {
				t.Errorf("calls %v", w.calls)
			}
			late.CreationTimestamp = w.requests[requests[1]].CreationTimestamp
			w.nodes[name(0)].Spec.ProviderID, w.nodes[name(1)] = "test://m-0", late
		})
		pass(3 * time.Second)
		w.want(requests[0], approved)
		w.want(requests[1], approved)
	})
}

// Nothing of a request is kept but its name.
func TestMemoryOfLargeRequests(t *testing.T) {
	const nodes = 1000
	w := &world{t: t, requests: map[string]*certificatesv1.CertificateSigningRequest{}, came: map[string]time.Time{}}
	w.create()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for n := range nodes {
		w.askAs(fmt.Sprintf("csr-%d", n), n, func(csr *certificatesv1.CertificateSigningRequest) {
			csr.Annotations["large"] = strings.Repeat("x", 250_000)
			csr.Spec.Extra = map[string]certificatesv1.ExtraValue{"large": {csr.Annotations["large"]}}
			if n%10 == 0 {
				csr.Spec.Request = bytes.Repeat([]byte("x"), 250_000)
			}
			if trimmed, _ := certificate.Trim(csr); n == 1 && len(fmt.Sprint(trimmed)) > 2000 {
				t.Error("it keeps more than names")
			}
		})
		clear(w.requests)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 10; grown > 1<<10 {
		t.Errorf("%d kB for %d requests", grown, nodes)
	}
	runtime.KeepAlive(w.approver)
}

func TestRequestThatIsTooLargeIsRefused(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.start()
		w.askAs("large", 0, func(csr *certificatesv1.CertificateSigningRequest) {
			csr.Spec.Request = append(csr.Spec.Request, bytes.Repeat([]byte("x"), 250_000)...)
		})
		pass(time.Minute)
		if news := w.news(); len(news) != 1 || news[0].Reason != judge.Malformed || !strings.Contains(news[0].Message, "more than 8192 bytes") || w.calls["list"] > 0 {
			t.Errorf("told: %v, calls %v", news, w.calls)
		}
	})
}

// A request that is gone, or that somebody else decided, costs nothing any more.
func TestRequestThatIsGoneIsForgotten(t *testing.T) {
	for what, end := range map[string]func(*world, *certificatesv1.CertificateSigningRequest) error{
		"gone": func(w *world, csr *certificatesv1.CertificateSigningRequest) error { return w.approver.Delete(csr) },
		"decided": func(w *world, csr *certificatesv1.CertificateSigningRequest) error {
			csr.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: approved, Status: corev1.ConditionTrue}}
			return w.approver.Update(csr)
		},
	} {
		t.Run(what, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				w.onTrust = func() error { return errors.New("not proved") }
				w.start()
				request := w.ask(0)
				pass(time.Minute)
				_ = end(w, w.request(request))
				lists := 0
				w.change(func() { lists = w.calls["list"] })
				pass(time.Hour)
				if lists == 0 || w.calls["list"] > lists {
					t.Errorf("%d lists after %d", w.calls["list"]-lists, lists)
				}
			})
		})
	}
}
