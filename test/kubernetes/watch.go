package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

const (
	// period is how often the watch looks.
	period = time.Second
	// healthLimit is how long the health of targets may differ from what the Service's policy says: kube-proxy, and three probes in a
	// row, of which there is one in each period.
	healthLimit = 15 * time.Second
	// leftLimit is how long a load balancer may be there after its Service.
	leftLimit = 15 * time.Second
)

// watch looks at what the specs do not look at:
//
//	it finds                                             unless
//	a load balancer without a Service                    it goes away soon
//	two load balancers for a Service                     one goes away soon
//	a target that is healthy without need, or the        it gets right soon
//	  other way round, see expectedHealth
//	a Warning event on a Service                         it is in the list of tolerated ones
//
// What it finds belongs to the namespace of the Service, and so to a spec. What belongs to none is found at the end.
type watch struct {
	client kubernetes.Interface
	cloud  install.Cloud

	mu sync.Mutex
	// since is when something that may pass was first seen, by what it is.
	since map[string]time.Time
	// found are the findings, by namespace.
	found map[string]map[string]bool
	// broken is the last error, nil when the watch could look.
	broken error
}

func newWatch(client kubernetes.Interface, cloud install.Cloud) *watch {
	return &watch{client: client, cloud: cloud, since: map[string]time.Time{}, found: map[string]map[string]bool{}}
}

// follow looks until the context ends.
func (w *watch) follow(ctx context.Context) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		err := w.look(ctx)
		if ctx.Err() != nil {
			return
		}
		w.mu.Lock()
		w.broken = err
		w.mu.Unlock()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// findings returns what was found in a namespace and not returned before, and what broke the watch.
func (w *watch) findings(namespace string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Sorted(maps.Keys(w.found[namespace]))
	delete(w.found, namespace)
	return append(list, w.trouble()...)
}

// rest returns what was found and not returned before, in all namespaces.
func (w *watch) rest() (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, namespace := range slices.Sorted(maps.Keys(w.found)) {
		for _, text := range slices.Sorted(maps.Keys(w.found[namespace])) {
			list = append(list, strings.TrimSpace(namespace+" "+text))
		}
	}
	return append(list, w.trouble()...)
}

// trouble says why the watch can't look. It needs the lock.
func (w *watch) trouble() []string {
	if w.broken == nil {
		return nil
	}
	return []string{"the watch can't look: " + w.broken.Error()}
}

// state is what there is at one moment. Load balancers are read before Services: whoever has lost its Service meanwhile was there with it.
type state struct {
	balancers []install.LoadBalancer
	services  []corev1.Service
	slices    []discoveryv1.EndpointSlice
	nodes     []corev1.Node
	events    []corev1.Event
}

func (w *watch) read(ctx context.Context) (s state, err error) {
	s.balancers = w.cloud.LoadBalancers()
	services, first := w.client.CoreV1().Services("").List(ctx, metav1.ListOptions{})
	endpoints, second := w.client.DiscoveryV1().EndpointSlices("").List(ctx, metav1.ListOptions{})
	nodes, third := w.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	events, fourth := w.client.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "type=Warning,involvedObject.kind=Service"})
	if err := errors.Join(first, second, third, fourth); err != nil {
		return s, fmt.Errorf("watching the cluster: %w", err)
	}
	s.services, s.slices, s.nodes, s.events = services.Items, endpoints.Items, nodes.Items, events.Items
	return s, nil
}

func (w *watch) look(ctx context.Context) error {
	s, err := w.read(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[string]bool{}
	w.lookAtBalancers(s, seen)
	for _, e := range s.events {
		if !tolerated(e) {
			w.add(e.InvolvedObject.Namespace, fmt.Sprintf("Service %s got the Warning %s: %s", e.InvolvedObject.Name, e.Reason, e.Message))
		}
	}
	maps.DeleteFunc(w.since, func(what string, _ time.Time) bool { return !seen[what] })
	return nil
}

func (w *watch) lookAtBalancers(s state, seen map[string]bool) {
	byUID := map[string]corev1.Service{}
	for _, svc := range s.services {
		byUID[string(svc.UID)] = svc
	}
	first := map[string]string{}
	for _, b := range s.balancers {
		svc, ok := byUID[b.ServiceUID]
		if !ok {
			w.lasting(seen, "", fmt.Sprintf("load balancer %s is of no Service", b.ID), leftLimit)
			continue
		}
		if other := first[b.ServiceUID]; other != "" {
			w.lasting(seen, svc.Namespace, fmt.Sprintf("Service %s has two load balancers, %s and %s", svc.Name, other, b.ID), leftLimit)
		}
		first[b.ServiceUID] = b.ID
		if svc.DeletionTimestamp == nil && b.Active {
			if problem := s.health(svc, b); problem != "" {
				w.lasting(seen, svc.Namespace, problem, healthLimit)
			}
		}
	}
}

// health says which target of a load balancer is not as the Service's policy has it.
func (s state) health(svc corev1.Service, b install.LoadBalancer) string {
	with := s.nodesWithEndpoints(svc)
	if len(with) == 0 {
		return "" // a check of the node port fails everywhere then, one of kube-proxy nowhere
	}
	var wrong []string
	for _, node := range s.nodes {
		healthy, isTarget := b.Healthy[node.Name]
		want := svc.Spec.ExternalTrafficPolicy != corev1.ServiceExternalTrafficPolicyLocal || with[node.Name]
		if isTarget && healthy != want && node.DeletionTimestamp == nil && ready(node) {
			wrong = append(wrong, fmt.Sprintf("%s is %s", node.Name, map[bool]string{true: "healthy", false: "unhealthy"}[healthy]))
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return fmt.Sprintf("Service %s, policy %s, endpoints on %v: target %s", svc.Name, svc.Spec.ExternalTrafficPolicy, slices.Sorted(maps.Keys(with)), strings.Join(wrong, ", "))
}

func (s state) nodesWithEndpoints(svc corev1.Service) map[string]bool {
	with := map[string]bool{}
	for _, slice := range s.slices {
		if slice.Namespace != svc.Namespace || slice.Labels[discoveryv1.LabelServiceName] != svc.Name {
			continue
		}
		for _, e := range slice.Endpoints {
			if e.NodeName != nil && (e.Conditions.Ready == nil || *e.Conditions.Ready) {
				with[*e.NodeName] = true
			}
		}
	}
	return with
}

func ready(node corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// lasting finds something that is there for a while.
func (w *watch) lasting(seen map[string]bool, namespace, text string, limit time.Duration) {
	seen[text] = true
	if w.since[text].IsZero() {
		w.since[text] = time.Now()
	}
	if lasts := time.Since(w.since[text]); lasts > limit {
		w.add(namespace, text+fmt.Sprintf(", for more than %s", limit))
	}
}

func (w *watch) add(namespace, text string) {
	if w.found[namespace] == nil {
		w.found[namespace] = map[string]bool{}
	}
	w.found[namespace][text] = true
}

// tolerated reports whether an event says something that the spec brings about.
func tolerated(e corev1.Event) bool {
	return e.Source.Component == "node-controller"
}
