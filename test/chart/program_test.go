package chart_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// machine is the one machine of the simulated cloud, and its Node.
const machine = "program-1"

// alone are the parts of the program, each with the values that run it alone and with what it
// does when its permissions suffice. They are ordered: later ones need the Node of the first.
var alone = []struct {
	name, values string
	works        func(*testing.T, *cluster)
}{
	{"node", "controllers: {nodeLifecycle: {enabled: false}, service: {enabled: false}}", nodeInitialised},
	{"lifecycle", `
controllers: {node: {enabled: false}, service: {enabled: false}, nodeLifecycle: {period: 1s}}
safety: {nodeDeletion: {grace: 1s, confirmGap: 1s}}`, nodeDeleted},
	{"service", "controllers: {node: {enabled: false}, nodeLifecycle: {enabled: false}}", serviceServed},
	{"route", `
controllers:
  node: {enabled: false}
  nodeLifecycle: {enabled: false}
  service: {enabled: false}
  route: {enabled: true, clusterCIDR: 10.128.0.0/10, period: 1s}`, routeMade},
}

// The real program runs with the flags, the variables and only the permissions that are
// rendered: each controller alone does its work, and nothing it asks for is refused.
func TestProgramRuns(t *testing.T) {
	c, binary := aCluster(t), program(t)
	_, err := c.JoinNode(within(t), controlplane.NodeOptions{Name: machine, Ready: true, PodCIDRs: []string{"10.128.0.0/24"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range alone {
		t.Run(part.name, func(t *testing.T) {
			values := []string{minimal("sim"), part.values, "{fullnameOverride: ccm-" + part.name + ", metrics: {unauthenticated: true}, sim: {machines: [" + machine + "]}}"}
			runProgram(t, c, binary, mustRender(t, release{values: values}), func(p *ccm.Process) {
				part.works(t, c)
				metricsAreServed(t, p)
			})
		})
	}
}

// built is the program, for all tests that run it.
var built struct {
	once      sync.Once
	dir, path string
	err       error
}

// program returns the program, which may have to be built.
func program(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.path = os.Getenv("CCM_BINARY"); built.path != "" {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), startLimit)
		defer cancel()
		if built.dir, built.err = os.MkdirTemp("", "chart-test-"); built.err == nil {
			built.path, built.err = ccm.Build(ctx, ccm.BuildOptions{Dir: built.dir})
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// runProgram runs the program of a render while f does, and checks that nothing was refused.
func runProgram(t *testing.T, c *cluster, binary string, out output, f func(*ccm.Process)) {
	t.Helper()
	account := out.pod(t).Spec.ServiceAccountName
	for _, object := range out.objects {
		if object.GetKind() != "Deployment" {
			if err := c.apply(within(t), object, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	user := "system:serviceaccount:kube-system:" + account
	c.waitAllowed(t, user, as[rbacv1.ClusterRole](t, out, "ClusterRole", account).Rules, as[rbacv1.Role](t, out, "Role", account).Rules)
	kubeconfig, err := c.ServiceAccountKubeconfig(within(t), "kube-system", account)
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for name, value := range out.env(t) {
		env = append(env, name+"="+value)
	}
	p, err := ccm.Start(ccm.Options{Binary: binary, Kubeconfig: kubeconfig, Provider: "sim", Env: env, Args: out.args(t), Dir: t.TempDir(), Name: account})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	if err := p.Healthy(within(t)); err != nil {
		t.Fatal(err)
	}
	f(p)
	if err := p.Stop(within(t)); err != nil {
		t.Error(err)
	}
	events, err := c.AuditEvents(controlplane.AuditFilter{User: user})
	if err != nil || len(events) == 0 {
		t.Fatalf("%d requests of %s: %v", len(events), user, err)
	}
	for _, e := range events {
		if e.Response.Code == http.StatusForbidden {
			t.Errorf("refused: %s %s", e.Verb, e.RequestURI)
		}
	}
}

// waitAllowed waits until the API server's authorizer has seen the rules.
func (c *cluster) waitAllowed(t *testing.T, user string, clusterRules, leaseRules []rbacv1.PolicyRule) {
	t.Helper()
	err := controlplane.Eventually(within(t), func(ctx context.Context) error {
		var problems []error
		for namespace, rules := range map[string][]rbacv1.PolicyRule{"": clusterRules, "kube-system": leaseRules} {
			for _, rule := range rules {
				problems = append(problems, c.allowed(ctx, user, namespace, rule))
			}
		}
		return errors.Join(problems...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) allowed(ctx context.Context, user, namespace string, rule rbacv1.PolicyRule) error {
	resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
	attributes := &authorizationv1.ResourceAttributes{
		Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: subresource,
	}
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes}}
	answer, err := c.Client().AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err == nil && !answer.Status.Allowed {
		err = fmt.Errorf("%s may not %s %s yet", user, rule.Verbs[0], rule.Resources[0])
	}
	return err
}

func nodeInitialised(t *testing.T, c *cluster) {
	c.waitNode(t, machine, func(n *corev1.Node) error {
		if n == nil || !strings.HasPrefix(n.Spec.ProviderID, "sim://") || len(n.Status.Addresses) == 0 {
			return errors.New("the Node is not initialised")
		}
		return nil
	})
}

// nodeDeleted: a Node whose machine is gone goes, after all proofs.
func nodeDeleted(t *testing.T, c *cluster) {
	_, err := c.JoinNode(within(t), controlplane.NodeOptions{Name: "program-gone", ProviderID: "sim://zone-1/no-such-machine", Initialized: true})
	if err != nil {
		t.Fatal(err)
	}
	c.waitNode(t, "program-gone", func(n *corev1.Node) error {
		if n != nil {
			return errors.New("the Node is still there")
		}
		return nil
	})
}

func serviceServed(t *testing.T, c *cluster) {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "program-", Namespace: "default"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	service, err := c.Client().CoreV1().Services("default").Create(within(t), service, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = controlplane.Eventually(within(t), func(ctx context.Context) error {
		svc, err := c.Client().CoreV1().Services("default").Get(ctx, service.Name, metav1.GetOptions{})
		if err == nil && len(svc.Status.LoadBalancer.Ingress) == 0 {
			err = errors.New("the Service has no address")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func routeMade(t *testing.T, c *cluster) {
	c.waitNode(t, machine, func(n *corev1.Node) error {
		for _, condition := range n.Status.Conditions {
			if condition.Type == corev1.NodeNetworkUnavailable && condition.Status == corev1.ConditionFalse {
				return nil
			}
		}
		return errors.New("the Node has no route")
	})
}

func (c *cluster) waitNode(t *testing.T, name string, check func(*corev1.Node) error) {
	t.Helper()
	if _, err := c.WaitNode(within(t), name, check); err != nil {
		t.Fatal(err)
	}
}

// metricsAreServed reads /metrics without a token, as metrics.unauthenticated says, and looks
// for the metrics of alerts and graphs that are not of our catalogue.
func metricsAreServed(t *testing.T, p *ccm.Process) {
	t.Helper()
	text, err := p.Get(within(t), "/metrics", "")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '{' || r == ' ' })
	for metricName, ours := range others {
		if ours && !slices.Contains(names, metricName) {
			t.Errorf("the program does not serve %s", metricName)
		}
	}
}
