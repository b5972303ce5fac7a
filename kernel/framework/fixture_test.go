package framework

import (
	"context"
	"net/netip"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
)

var (
	node           = frameworktest.Node
	withTaint      = frameworktest.WithTaint
	withReady      = frameworktest.WithReady
	withIP         = frameworktest.WithIP
	withLabel      = frameworktest.WithLabel
	service        = frameworktest.Service
	withAnnotation = frameworktest.WithAnnotation
	cluster        = frameworktest.Cluster
	put            = frameworktest.Put
)

type log = frameworktest.Log

// fakeInventory answers with what it is given.
type fakeInventory struct {
	machine  cloud.Instance
	exists   bool
	shutdown bool
	running  bool
	err      error
	panics   bool
	priority cloud.Priority
}

func (f *fakeInventory) note(ctx context.Context) {
	f.priority = cloud.PriorityOf(ctx)
	if f.panics {
		panic("a bug")
	}
}

func (f *fakeInventory) Metadata(ctx context.Context, _ *corev1.Node) (cloud.Instance, error) {
	f.note(ctx)
	return f.machine, f.err
}

func (f *fakeInventory) Exists(ctx context.Context, _ *corev1.Node) (bool, error) {
	f.note(ctx)
	return f.exists, f.err
}

func (f *fakeInventory) Running(*corev1.Node) bool { return f.running }

func (f *fakeInventory) Shutdown(ctx context.Context, _ *corev1.Node) (bool, error) {
	f.note(ctx)
	return f.shutdown, f.err
}

// fakeRouting answers with what it is given.
type fakeRouting struct {
	list []route.Route
	err  error
}

func (f *fakeRouting) List(context.Context) ([]route.Route, error) { return f.list, f.err }

func (f *fakeRouting) Create(context.Context, string, netip.Prefix) error { return f.err }

func (f *fakeRouting) Delete(context.Context, route.Route) error { return f.err }

// window is how long events of Nodes are collected.
const window = 5 * time.Second

// TestMain takes out a rate limit on logged errors that compares the bubbles' clock with
// the real one.
func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	os.Exit(m.Run())
}
