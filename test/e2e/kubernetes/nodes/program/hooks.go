package program

import (
	"context"
	"errors"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/test/e2e/framework"
)

// provider is the cloud, as far as the framework asks it for something.
type provider struct {
	framework.NullProvider
	runner *runner
}

// DeleteNode deletes the machine behind the Node.
func (p *provider) DeleteNode(node *corev1.Node) error {
	if p.runner == nil {
		return errors.New("without -runner nobody can delete a machine")
	}
	return p.runner.deleteNode(context.Background(), node.Name)
}

// lastNamespace is the namespace of the spec that runs, of which there is one at a time.
var lastNamespace string

// FrameworkAfterEach remembers the namespace. It is too early to ask what the spec has left: the framework
// deletes the namespace after this.
func (p *provider) FrameworkAfterEach(f *framework.Framework) {
	if f.Namespace != nil {
		lastNamespace = f.Namespace.Name
	}
}

// addHooks tells the runner of the end of each spec. This BeforeEach is outside all containers, so it is the first of
// a spec. Cleanups run in reverse order, after all AfterEach, so its own is the last one. Before it come, in
// this order: AfterEach and cleanups of the spec, which delete Services; FrameworkAfterEach; the request to
// delete the namespace, for whose end nobody waits. So all that the spec made is gone or being deleted. In
// contrast to a ReportAfterEach, it only runs for specs that have begun.
//
// After -ginkgo.timeout a cleanup has only the grace period of 30 seconds, unless it has a time of its own.
func addHooks(r *runner) {
	ginkgo.BeforeEach(func() {
		lastNamespace = ""
		ginkgo.DeferCleanup(func(ctx context.Context) { expect(r.after(ctx, ended{lastNamespace})) }, ginkgo.NodeTimeout(patience))
	})
}

// expect fails the spec with an error's text alone: the framework's would print the error's fields too.
func expect(err error) {
	if err != nil {
		framework.Fail(err.Error(), 1)
	}
}
