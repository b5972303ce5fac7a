package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// facts are what the checks judge. They are read once and not changed.
type facts struct {
	Options
	now time.Time
	// version is the API server's; without it nothing else of the cluster is known.
	version    fact[string]
	candidates []string
	nodes      fact[[]*corev1.Node]
	services   fact[[]corev1.Service]
	// lease is nil when there is none.
	lease     fact[*coordinationv1.Lease]
	leases    fact[[]coordinationv1.Lease]
	workloads fact[[]*Workload]
	// pods are those of the controller manager's workload, dns those of the cluster's DNS.
	pods, dns, control fact[[]corev1.Pod]
	events             fact[[]corev1.Event]
	hooks              fact[[]hook]
	rights             fact[lackingRights]
	certificates       fact[map[string]*certificatesv1.CertificateSigningRequest]
	kubelets           kubelets
	sky                sky
	// owned are the balancers of the account, with the Services that their ownership tags name.
	owned fact[[]cloud.OwnedBalancer]
	// refused are the ports of kube-proxy's health check on which nothing answers, by address.
	refused []string
	// forecasts are the plans of Services that wait for an address, and of those of which a failure was recorded.
	forecasts []forecast
	clusters  clusters
	drift     drift
	// planner says what the controller manager would do, see inspector.
	planner *inspect.Inspector
}

// gather reads everything. Its parts are read at the same time: a part that hangs until its
// deadline does not delay the others.
func gather(ctx context.Context, o Options, now time.Time) *facts {
	f := &facts{Options: o, now: now}
	var parts sync.WaitGroup
	// What else is asked of a cloud that does not answer ends with the first question to it.
	answering, silence := context.WithCancel(ctx)
	defer silence()
	if !o.BeforeUninstall {
		parts.Go(func() {
			guarded(func() { f.sky.ask(ctx, o) }, f.sky.fail)
			if f.sky.kind == silent {
				silence()
			}
		})
	}
	if !f.connect(ctx) {
		parts.Wait()
		return f
	}
	r := newReader(o.Client)
	f.core(ctx, r)
	if o.BeforeUninstall {
		return f
	}
	balances := f.balances() // the surroundings write to the options that it reads
	part := func(read func(), set ...*error) { parts.Go(func() { guarded(read, each(set...)) }) }
	part(func() { f.surroundings(ctx, r) }, &f.leases.err, &f.workloads.err, &f.pods.err, &f.dns.err, &f.control.err)
	part(func() { f.rights = rightsOf(ctx, r, o) }, &f.rights.err)
	part(func() { f.hooks = hooks(ctx, r, f.writings()) }, &f.hooks.err)
	part(func() { f.events = warnings(ctx, r) }, &f.events.err)
	part(func() { f.certificates = servingRequests(ctx, r) }, &f.certificates.err)
	if own, _ := f.mine(); o.runs(controller.KubeletCertificate) {
		part(func() { f.kubelets = askKubelets(ctx, own) })
	}
	if balances {
		part(func() { f.owned = owned(answering, f) }, &f.owned.err)
		part(func() { f.refused = refusals(ctx, f.nodes.value, f.services.value, proxyPort) })
	}
	parts.Wait()
	guarded(func() { f.sky.match(ctx, o, f.nodes.value) }, f.sky.fail)
	guarded(func() { f.forecasts = forecasts(ctx, f) }, f.sky.fail)
	guarded(func() { f.clusters = namedClusters(ctx, f) }, each(&f.clusters.err))
	guarded(func() { f.drift = drifted(ctx, f) }, f.sky.fail)
	return f
}

// guarded reads a part of the facts. A panic, such as one of a driver, is told as an error of that part.
func guarded(read func(), fail func(error)) {
	defer func() {
		if p := recover(); p != nil {
			fail(fmt.Errorf("the doctor itself failed while it read this, please report it: %v", p))
		}
	}()
	read()
}

// each returns a function that sets all these errors that are not set yet.
func each(errs ...*error) func(error) {
	return func(failed error) {
		for _, err := range errs {
			*err = cmp.Or(*err, failed)
		}
	}
}

// connect asks for the API server's version, and returns false when it cannot be had. Then all
// facts of the cluster are missing.
func (f *facts) connect(ctx context.Context) bool {
	err := f.ClientErr
	if err == nil {
		var version string
		if version, err = serverVersion(ctx, f.Client); err == nil {
			f.version.value = version
			return true
		}
	}
	f.version.err = err
	if f.ClientErr == nil && !answered(err) {
		f.candidates = answering(ctx)
	}
	lost := errors.New("the API server is not reached, see " + idServer)
	f.nodes.err, f.services.err, f.lease.err, f.leases.err, f.workloads.err = lost, lost, lost, lost, lost
	f.pods.err, f.dns.err, f.control.err, f.events.err, f.hooks.err, f.rights.err, f.certificates.err = lost, lost, lost, lost, lost, lost, lost
	return false
}

// answered reports whether the error is an answer of an API server.
func answered(err error) bool {
	var status apierrors.APIStatus // no error by itself
	return errors.As(err, &status)
}

func serverVersion(ctx context.Context, client kubernetes.Interface) (string, error) {
	version, err := discovery.ToServerVersionInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx)
	if err != nil {
		return "", err
	}
	return version.GitVersion, nil
}

// core reads what most checks are about.
func (f *facts) core(ctx context.Context, r *reader) {
	core := f.Client.CoreV1()
	nodes := read(ctx, r, right{"list", "", "nodes", "", ""}, func() (*corev1.NodeList, error) {
		return core.Nodes().List(ctx, metav1.ListOptions{})
	})
	f.nodes.err = nodes.err
	if nodes.err == nil {
		f.nodes.value = pointers(nodes.value.Items)
	}
	services := read(ctx, r, right{"list", "", "services", "", ""}, func() (*corev1.ServiceList, error) {
		return core.Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	})
	f.services.err = services.err
	if services.err == nil {
		f.services.value = services.value.Items
	}
	f.lease = read(ctx, r, right{"get", "coordination.k8s.io", "leases", f.Lease.Namespace, f.Lease.Name}, func() (*coordinationv1.Lease, error) {
		lease, err := f.Client.CoordinationV1().Leases(f.Lease.Namespace).Get(ctx, f.Lease.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return lease, err
	})
}

// surroundings reads what else runs in the cluster.
func (f *facts) surroundings(ctx context.Context, r *reader) {
	f.leases = leases(ctx, r, f.Lease.Namespace)
	f.workloads.value, f.workloads.err = r.workloads(ctx)
	if f.Manager.Workload == nil && f.workloads.err == nil {
		f.Manager.Workload = Choose(f.workloads.value, "")
	}
	switch w := f.Manager.Workload; {
	case w != nil:
		f.pods = pods(ctx, r, w.Namespace, w.selector)
	case f.workloads.err != nil:
		f.pods.err = f.workloads.err
	default:
		f.pods.err = errors.New("no Deployment or DaemonSet of this project was found")
	}
	f.dns = pods(ctx, r, metav1.NamespaceSystem, "k8s-app=kube-dns")
	f.control = pods(ctx, r, metav1.NamespaceSystem, "component in (kube-apiserver,kube-controller-manager)")
}

func pods(ctx context.Context, r *reader, namespace, selector string) fact[[]corev1.Pod] {
	list := read(ctx, r, right{"list", "", "pods", namespace, ""}, func() (*corev1.PodList, error) {
		return r.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	})
	if list.err != nil {
		return missing[[]corev1.Pod](list.err)
	}
	return fact[[]corev1.Pod]{value: list.value.Items}
}

// leases returns those of the namespaces where controller managers have theirs.
func leases(ctx context.Context, r *reader, namespace string) fact[[]coordinationv1.Lease] {
	var all fact[[]coordinationv1.Lease]
	for _, namespace := range unique(metav1.NamespaceSystem, namespace) {
		list := read(ctx, r, right{"list", "coordination.k8s.io", "leases", namespace, ""}, func() (*coordinationv1.LeaseList, error) {
			return r.client.CoordinationV1().Leases(namespace).List(ctx, metav1.ListOptions{})
		})
		if list.err != nil {
			return missing[[]coordinationv1.Lease](list.err)
		}
		all.value = append(all.value, list.value.Items...)
	}
	return all
}

// mostEvents bounds the events that are read.
const mostEvents = 500

// warnings returns the events that warn.
func warnings(ctx context.Context, r *reader) fact[[]corev1.Event] {
	list := read(ctx, r, right{"list", "", "events", "", ""}, func() (*corev1.EventList, error) {
		return r.client.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "type=Warning", Limit: mostEvents})
	})
	if list.err != nil {
		return missing[[]corev1.Event](list.err)
	}
	return fact[[]corev1.Event]{value: list.value.Items}
}

// cluster is the reading as package inspect wants it, with the Nodes whose machine is known: no other
// can be a target, and each would cost a question to the cloud.
func (f *facts) cluster() inspect.Cluster {
	c := inspect.Cluster{Lease: f.lease.value}
	for _, node := range f.nodes.value {
		if _, known := f.sky.of[node.Name]; known {
			c.Nodes = append(c.Nodes, node)
		}
	}
	for n := range f.services.value {
		c.Services = append(c.Services, &f.services.value[n])
	}
	return c
}

// problems are the errors of facts that are failures, and not a lack of rights.
func (f *facts) problems() []string {
	var all []string
	for _, err := range []error{
		f.nodes.err, f.services.err, f.lease.err, f.leases.err, f.workloads.err, f.pods.err, f.dns.err, f.control.err, f.events.err, f.hooks.err, f.rights.err, f.certificates.err,
	} {
		if unreadable(err) {
			all = append(all, err.Error())
		}
	}
	return unique(all...)
}

func unique(all ...string) []string {
	var list []string
	seen := map[string]bool{}
	for _, one := range all {
		if !seen[one] {
			list = append(list, one)
		}
		seen[one] = true
	}
	return list
}

func pointers(nodes []corev1.Node) []*corev1.Node {
	list := make([]*corev1.Node, 0, len(nodes))
	for i := range nodes {
		list = append(list, &nodes[i])
	}
	return list
}

func serviceName(svc *corev1.Service) string { return svc.Namespace + "/" + svc.Name }

func splitName(name string) (namespace, short string) {
	namespace, short, _ = strings.Cut(name, "/")
	return namespace, short
}

func text(format string, args ...any) string { return strings.TrimSpace(fmt.Sprintf(format, args...)) }
