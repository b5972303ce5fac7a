package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

const (
	// ownNamespace has the runner's own Service, which is there from before the first spec until after the last one.
	ownNamespace = "runner"
	ownName      = "web"
)

// ownManifest has its one Pod on the node of the control plane, which no spec takes away, and a load balancer.
const ownManifest = `
apiVersion: v1
kind: Namespace
metadata: {name: ` + ownNamespace + `}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: ` + ownNamespace + `, labels: {app: web}}
spec:
  nodeName: %s
  containers:
    - {name: echo, image: ` + cluster.EchoImage + `, imagePullPolicy: Never}
---
apiVersion: v1
kind: Service
metadata: {name: ` + ownName + `, namespace: ` + ownNamespace + `}
spec:
  type: LoadBalancer
  selector: {app: web}
  ports: [{port: 80, targetPort: 8080}]
`

// budgets are how many calls about load balancers the life of the runner's own Service takes at most, by provider: it is made, its policy
// becomes Local, a node leaves and comes back, it is deleted. Measured were 5 writes each, and 9, 7 and 19 reads. Hetzner's actions are read
// until they have ended. A cloud that is busy for longer costs another read or two; one more for each step is too many.
var budgets = map[string]install.Calls{
	"sim":          {Writes: 5, Reads: 11},
	"digitalocean": {Writes: 5, Reads: 10},
	"hcloud":       {Writes: 5, Reads: 22},
}

// ownService is the runner's own Service, in whose life the specs are a long pause.
type ownService struct {
	*site
	watch *watch
	id    string // of its load balancer
	spent install.Calls
}

// counted does something and adds what it cost. No other load balancer is there meanwhile.
func (s *ownService) counted(ctx context.Context, do func(context.Context) error) error {
	before := s.cloud.Calls()
	err := do(ctx)
	after := s.cloud.Calls()
	s.spent.Reads += after.Reads - before.Reads
	s.spent.Writes += after.Writes - before.Writes
	return err
}

// step does something in the life of the Service, and bounds how long it takes.
func (s *ownService) step(ctx context.Context, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	if err := do(ctx); err != nil {
		return fmt.Errorf("the runner's own Service: %s: %w\n%s", what, err, s.events(context.WithoutCancel(ctx)))
	}
	return nil
}

// events are those in the namespace of the Service, a line each.
func (s *ownService) events(ctx context.Context) string {
	events, err := s.Client().CoreV1().Events(ownNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range events.Items {
		fmt.Fprintf(&b, "%s %s: %s: %s\n", e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Reason, e.Message)
	}
	return b.String()
}

// begin makes the Service and waits until all nodes are healthy targets.
func (s *ownService) begin(ctx context.Context) error {
	return s.counted(ctx, func(ctx context.Context) error {
		return s.step(ctx, "it is made", func(ctx context.Context) error {
			if err := s.ApplyManifest(ctx, fmt.Appendf(nil, ownManifest, s.Nodes()[0].Name())); err != nil {
				return err
			}
			return controlplane.Eventually(ctx, func(ctx context.Context) error {
				b, err := s.right(ctx, len(s.Nodes()))
				s.id = b.ID
				return err
			})
		})
	})
}

// alone waits until the Services and load balancers of the specs are gone: reads about them would count as the runner's own.
func (s *ownService) alone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		now, err := s.watch.read(ctx)
		if err != nil {
			return err
		}
		for _, svc := range now.services {
			if svc.Namespace != ownNamespace && servicehelper.HasLBFinalizer(&svc) {
				return fmt.Errorf("the specs have left the Service %s/%s", svc.Namespace, svc.Name)
			}
		}
		if n := len(now.balancers); n > 1 {
			return fmt.Errorf("the specs have left %d load balancers", n-1)
		}
		return nil
	})
}

// end changes the Service and the nodes and deletes it, and looks at what it cost.
func (s *ownService) end(ctx context.Context) error {
	if err := s.alone(ctx); err != nil {
		return err
	}
	// What is looked at when a step has ended, such as whether the cloud has carried it out, counts too.
	if err := s.counted(ctx, s.changeAndRemove); err != nil {
		return err
	}
	var err error
	if found := s.watch.findings(ctx, ownNamespace); len(found) > 0 {
		err = fmt.Errorf("the runner's own Service: %s", strings.Join(found, "\n"))
	}
	return errors.Join(err, within(s.spent, budgets[s.cloud.Descriptor().Name]))
}

// changeAndRemove changes the policy of the Service and its nodes, one thing after the other, and removes it.
func (s *ownService) changeAndRemove(ctx context.Context) error {
	living := len(s.living())
	for _, one := range []struct {
		name    string
		do      func(context.Context) error
		targets int
	}{
		{"its policy becomes Local", s.becomeLocal, living},
		{"a node is excluded", func(ctx context.Context) error { return s.exclude(ctx, true) }, living - 1},
		{"the node is back", func(ctx context.Context) error { return s.exclude(ctx, false) }, living},
	} {
		err := s.step(ctx, one.name, func(ctx context.Context) error {
			if err := one.do(ctx); err != nil {
				return err
			}
			return controlplane.Eventually(ctx, func(ctx context.Context) error { _, err := s.right(ctx, one.targets); return err })
		})
		if err != nil {
			return err
		}
	}
	return s.step(ctx, "it is deleted", s.remove)
}

func (s *ownService) services() typedcorev1.ServiceInterface {
	return s.Client().CoreV1().Services(ownNamespace)
}

func (s *ownService) becomeLocal(ctx context.Context) error {
	const patch = `{"spec":{"externalTrafficPolicy":"Local"}}`
	_, err := s.services().Patch(ctx, ownName, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// remove deletes the Service and waits until it is gone, with its finalizer and its load balancer.
func (s *ownService) remove(ctx context.Context) error {
	if err := s.services().Delete(ctx, ownName, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		if left := s.cloud.LoadBalancers(); len(left) > 0 {
			return fmt.Errorf("%d load balancers are left, such as %s", len(left), left[0].ID)
		}
		service, err := s.services().Get(ctx, ownName, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		}
		return fmt.Errorf("the Service is still there, with the finalizers %v", service.Finalizers)
	})
}

// within returns an error where more calls were made than the budget has.
func within(spent, budget install.Calls) error {
	if spent.Writes > budget.Writes || spent.Reads > budget.Reads {
		return fmt.Errorf("the runner's own Service took %s, at most %s are right", spent, budget)
	}
	return nil
}

// right returns the load balancer of the Service. An error says what is not as it is to be: it is the same as ever, it has that many
// targets, and their health follows the policy.
func (s *ownService) right(ctx context.Context, targets int) (install.LoadBalancer, error) {
	now, err := s.watch.read(ctx)
	if err != nil {
		return install.LoadBalancer{}, err
	}
	for _, svc := range now.services {
		if svc.Namespace != ownNamespace {
			continue
		}
		for _, b := range now.balancers {
			if b.ServiceUID != string(svc.UID) {
				continue
			}
			switch wrong := now.health(svc, b); {
			case len(now.nodesWithEndpoints(svc)) == 0:
				return b, errors.New("the Service has no endpoint")
			case s.id != "" && b.ID != s.id:
				return b, fmt.Errorf("the load balancer is %s, it was %s", b.ID, s.id)
			case !b.Active || len(svc.Status.LoadBalancer.Ingress) == 0:
				return b, errors.New("the load balancer does not work yet")
			case len(b.Healthy) != targets:
				return b, fmt.Errorf("the load balancer has %d targets, want %d", len(b.Healthy), targets)
			case len(wrong) > 0:
				return b, fmt.Errorf("the health of targets is wrong: %v", wrong)
			}
			return b, nil
		}
	}
	return install.LoadBalancer{}, errors.New("the Service has no load balancer")
}

// exclude takes the last node that lives out of all load balancers, or back.
func (s *ownService) exclude(ctx context.Context, out bool) error {
	living := s.living()
	return s.editNode(ctx, living[len(living)-1], func(node *corev1.Node) {
		delete(node.Labels, corev1.LabelNodeExcludeBalancers)
		if out {
			node.Labels[corev1.LabelNodeExcludeBalancers] = ""
		}
	})
}
