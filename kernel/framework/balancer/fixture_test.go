package balancer

import (
	"context"
	"os"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

var (
	service        = frameworktest.Service
	withType       = frameworktest.WithType
	withFinalizer  = frameworktest.WithFinalizer
	withAnnotation = frameworktest.WithAnnotation
)

type log = frameworktest.Log

// fakeBalancers answers with what it is given.
type fakeBalancers struct {
	outcome loadbalancer.Outcome
	status  *corev1.LoadBalancerStatus
	exists  bool
	holds   bool
	err     error
	got     *corev1.Service
}

func (f *fakeBalancers) Ensure(_ context.Context, svc *corev1.Service, _ []*corev1.Node) (loadbalancer.Outcome, error) {
	f.got = svc
	return f.outcome, f.err
}

func (f *fakeBalancers) UpdateTargets(_ context.Context, svc *corev1.Service, _ []*corev1.Node) error {
	f.got = svc
	return f.err
}

func (f *fakeBalancers) Delete(_ context.Context, svc *corev1.Service) error {
	f.got = svc
	return f.err
}

func (f *fakeBalancers) Get(context.Context, *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	return f.status, f.exists, f.err
}

func (f *fakeBalancers) Holds(context.Context, *corev1.Service) (bool, error) { return f.holds, f.err }

func (f *fakeBalancers) Name(svc *corev1.Service) string { return string(svc.UID) }

// fakeServices are the Services of a view; its log says which were queued.
type fakeServices struct {
	log
	current *corev1.Service
	// next takes its place while others look.
	next atomic.Pointer[corev1.Service]
	gone atomic.Bool
}

func (f *fakeServices) Current(*corev1.Service) *corev1.Service {
	if f.gone.Load() {
		return nil
	}
	if next := f.next.Load(); next != nil {
		return next
	}
	return f.current
}

func (f *fakeServices) HandedOver(*corev1.Service) *corev1.Service { return nil }

func (f *fakeServices) Enqueue(svc *corev1.Service) { f.Add("queue " + svc.Name) }

func (f *fakeServices) Recorded(*corev1.Service, map[string]string) {}

// TestMain takes out a rate limit on logged errors that compares the bubbles' clock with
// the real one.
func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	os.Exit(m.Run())
}
