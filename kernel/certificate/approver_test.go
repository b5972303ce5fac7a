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

// Machines whose name is another one, and whose state no list tells, are read one by one, some in each round.
func TestSingleReadsOfARoundAreFew(t *testing.T) {
	const nodes = 25
	simulate(t, nodes, func(w *world) {
		for n := range w.machines {
			w.machines[n].Name = fmt.Sprintf("other-%d", n)
			if n%2 == 0 {
				w.machines[n].State = cloud.StateUnknown
			}
		}
		most := 0
		w.onList = func() error {
			most = max(most, w.calls["find"]+w.calls["get"])
			w.calls["find"], w.calls["get"] = 0, 0
			return nil
		}
		w.start()
		for n := range nodes {
			w.ask(n)
		}
		pass(time.Minute)
		most = max(most, w.calls["find"]+w.calls["get"])
		if len(w.decided) != nodes || most > 10 || w.calls["list"] > 10 {
			t.Errorf("%d of %d are approved, up to %d single reads for each of %d lists", len(w.decided), nodes, most, w.calls["list"])
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

// For more Nodes than there are in a cluster nothing is kept, until others do not ask any more.
func TestNodesAreBounded(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.approver = certificate.New(w.options)
		const most = 20000
		csr := w.request(w.askAs("csr", 1, nil))
		csr.Spec.Request = []byte("none")
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
		_ = w.approver.Replace(nil, "2")
		pass(11 * time.Minute)
		later := w.ask(0)
		pass(time.Second)
		w.want(later, approved)
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
				pass(time.Hour)
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
				if w.calls["list"] != 4 || w.outcomes[0].Err == nil {
					t.Errorf("calls %v, outcomes %v: each try needs a list of its own", w.calls, w.outcomes)
				}
			})
		})
	}
}

// Between the judgment and the write the world may change.
func TestChangesMeanwhile(t *testing.T) {
	for what, change := range map[string]func(*world, string){
		"the request is gone":          func(w *world, request string) { delete(w.requests, request) },
		"another request has its name": func(w *world, request string) { w.requests[request].UID = "another" },
		"somebody denied it": func(w *world, request string) {
			w.requests[request].Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: denied}, {}}
		},
		"the Node was made again":        func(w *world, _ string) { w.nodes[name(0)].UID = "another" },
		"the Node names another machine": func(w *world, _ string) { w.nodes[name(0)].Spec.ProviderID = "test://m-9" },
		"the Node is being deleted":      func(w *world, _ string) { w.nodes[name(0)].DeletionTimestamp = new(metav1.Now()) },
		"the Node is gone":               func(w *world, _ string) { delete(w.nodes, name(0)) },
	} {
		t.Run(what, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				changed := false
				w.onGet = func(request string) {
					if !changed {
						changed = true
						change(w, request)
					}
				}
				updates := -1
				w.options.Report = func(certificate.Outcome) {
					if w.mu.Lock(); updates < 0 {
						updates = w.calls["update"]
					}
					w.mu.Unlock()
				}
				w.start()
				w.ask(0)
				pass(time.Minute)
				if !changed || updates != 0 {
					t.Errorf("%d writes at the end of the first turn", updates)
				}
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
		if w.calls["list"] != 2 || w.outcomes[0].Err == nil {
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

// Nothing of a request is kept but what a judge needs, and of a request that is too large only so much that it is seen to be.
func TestMemoryOfLargeRequests(t *testing.T) {
	const nodes = 1000
	w := &world{t: t, requests: map[string]*certificatesv1.CertificateSigningRequest{}, approver: certificate.New(certificate.Options{})}
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
		})
		clear(w.requests)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 10; grown > 4<<10 {
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
