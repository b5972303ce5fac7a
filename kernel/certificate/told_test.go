package certificate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
)

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

func TestFailedWritesAreRepeated(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "certificatesigningrequests"}, "x", errors.New("it has changed"))
	for what, failure := range map[string]error{"conflict": conflict, "5xx": apierrors.NewInternalError(errors.New("etcd"))} {
		t.Run(what, func(t *testing.T) {
			simulate(t, 1, func(w *world) {
				tries := 0
				w.onPatch = func() error {
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
		w.onPatch = func() error { return apierrors.NewForbidden(resource, "x", errors.New("no right")) }
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
		for _, when := range []string{"before it is judged", "between the judgment and the write", "during the write"} {
			t.Run(what+" "+when, func(t *testing.T) {
				simulate(t, 1, func(w *world) {
					want := judge.Failed
					once := func(hook *func() error) {
						*hook = func() error {
							*hook = nil
							change(w, "csr-1")
							return nil
						}
					}
					switch when {
					case "between the judgment and the write":
						once(&w.onTrust) // the last read of a round
					case "during the write":
						once(&w.onNode) // the last read before it
					}
					w.start()
					w.ask(0)
					if when == "before it is judged" {
						w.change(func() {
							if change(w, "csr-1") == "" {
								w.t.Skip("it is judged as it is now")
							}
						})
						want = judge.Overtaken
					}
					pass(900 * time.Millisecond)
					if w.onTrust != nil || w.onNode != nil || len(w.outcomes) != 1 || w.outcomes[0].Reason != want || w.outcomes[0].New || len(w.decided) > 0 {
						t.Errorf("outcomes %v", w.outcomes)
					}
				})
			})
		}
	}
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
