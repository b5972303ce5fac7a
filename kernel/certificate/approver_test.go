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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
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
		if len(w.outcomes) != 1 || w.outcomes[0].Reason != judge.Approved || w.outcomes[0].New || w.calls["list"] != 1 || w.calls["patch"] != 1 {
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
		if w.calls["list"] > 12 || w.calls["list"] != w.calls["patch"] {
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

// A Node whose request somebody else approved, which nobody saw, waits from its next request on.
func TestWaitBeginsAfterADecision(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.onList = func() error { return errors.New("503") }
		w.start()
		decided := w.ask(0)
		pass(time.Hour)
		w.change(func() {
			w.requests[decided].Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: approved, Status: corev1.ConditionTrue}}
		})
		_ = w.approver.Replace([]any{w.request(decided)}, "2")
		w.ask(0)
		if oldest := w.approver.Oldest(time.Now()); oldest > 0 {
			t.Errorf("it waits for %v", oldest)
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

// most is of how many Nodes something is kept.
const most = 20000

// crowd has kubelets ask whose Nodes do not exist.
func (w *world) crowd(from, to int) {
	csr := w.requests["csr-1"].DeepCopy()
	for n := from; n < to; n++ {
		other := csr.DeepCopy()
		other.Name, other.UID, other.Spec.Username = name(n), types.UID(fmt.Sprint(n, time.Now())), "system:node:"+name(n)
		_ = w.approver.Add(other)
	}
}

// For more Nodes than there are in a cluster nothing is kept. Those that do not exist make way for others.
func TestNodesAreBounded(t *testing.T) {
	simulate(t, 2, func(w *world) {
		w.create()
		w.ask(1)
		w.crowd(2, most+1)
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

// Nor while they are judged: what is in memory then does not grow with their size.
func TestMemoryOfARoundOfLargeRequests(t *testing.T) {
	const nodes = 200
	simulate(t, nodes, func(w *world) {
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc) >> 20
		}
		large := bytes.Repeat([]byte("x"), 1<<20) // the world has it once, and each read copies it
		var during int64
		w.onList = func() error { w.onList, during = nil, heap(); return nil }
		w.create()
		for n := range nodes {
			w.askAs(fmt.Sprintf("csr-%d", n), n, func(csr *certificatesv1.CertificateSigningRequest) {
				if n > 0 {
					csr.Spec.Request = large
				}
			})
		}
		before := heap()
		w.run()
		pass(time.Second)
		w.want("csr-0", approved)
		if grown := during - before; during == 0 || grown > nodes/2 {
			t.Errorf("%d MB for %d requests of 1 MB", grown, nodes)
		}
	})
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
