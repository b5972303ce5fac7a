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
	// healthLimit is how long the health of a target may differ from what the Service's policy says: kube-proxy, and three probes in a
	// row. Targets are probed each time when somebody looks, more often than the Service's check says.
	healthLimit = 15 * time.Second
	// gapLimit is how long the watch may be blind.
	gapLimit = 30 * time.Second
	// leftLimit is how long a load balancer may be there after its Service.
	leftLimit = 15 * time.Second
)

// watch looks at what the specs do not look at:
//
//	it finds                                             unless
//	a load balancer without a Service of its type        it goes away soon
//	two load balancers for a Service                     one goes away soon
//	a target that is healthy without need, or the        it gets right soon
//	  other way round
//	a Warning event of the controller manager on         -
//	  a Service
//
// What it finds belongs to the namespace of the Service, and so to a spec. What is found later, or belongs to none, is told at the end.
type watch struct {
	client kubernetes.Interface
	cloud  install.Cloud

	mu sync.Mutex
	// since is when something that may pass was first seen, by what it is. looked is when the watch last could look.
	since  map[string]time.Time
	looked time.Time
	// found are the findings, by namespace.
	found map[string]map[string]bool
}

func newWatch(client kubernetes.Interface, cloud install.Cloud) *watch {
	return &watch{client: client, cloud: cloud, since: map[string]time.Time{}, found: map[string]map[string]bool{}}
}

// follow looks until the context ends.
func (w *watch) follow(ctx context.Context) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		_ = w.look(ctx) // a gap that is too long is found when it has ended
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// findings looks once more and returns what was found in a namespace and not returned before.
func (w *watch) findings(ctx context.Context, namespace string) []string {
	err := w.look(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Sorted(maps.Keys(w.found[namespace]))
	delete(w.found, namespace)
	if err != nil {
		list = append(list, err.Error())
	}
	return list
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
	return list
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
	w.judge(s, time.Now())
	return nil
}

// judge notes down what is not as it is to be. After a gap nothing is known to have lasted.
func (w *watch) judge(s state, now time.Time) {
	if gap := now.Sub(w.looked); !w.looked.IsZero() && gap > gapLimit {
		w.add("", fmt.Sprintf("the watch could not look for %.0f s", gap.Seconds()))
		clear(w.since)
	}
	w.looked = now
	seen := map[string]bool{}
	w.lookAtBalancers(s, seen)
	for _, e := range s.events {
		if ours(e) {
			w.add(e.InvolvedObject.Namespace, fmt.Sprintf("Service %s got the Warning %s: %s", e.InvolvedObject.Name, e.Reason, e.Message))
		}
	}
	maps.DeleteFunc(w.since, func(what string, _ time.Time) bool { return !seen[what] })
}

func (w *watch) lookAtBalancers(s state, seen map[string]bool) {
	byUID := map[string]corev1.Service{}
	for _, svc := range s.services {
		// One that is being deleted keeps its load balancer until it is gone, whatever its type.
		if svc.Spec.Type == corev1.ServiceTypeLoadBalancer || svc.DeletionTimestamp != nil {
			byUID[string(svc.UID)] = svc
		}
	}
	first := map[string]string{}
	for _, b := range s.balancers {
		svc, ok := byUID[b.ServiceUID]
		if !ok {
			w.lasting(seen, "", "load balancer "+b.ID, "is of no Service of type LoadBalancer", leftLimit)
			continue
		}
		if other := first[b.ServiceUID]; other != "" {
			w.lasting(seen, svc.Namespace, "Service "+svc.Name, "has two load balancers, "+other+" and "+b.ID, leftLimit)
		}
		first[b.ServiceUID] = b.ID
		if svc.DeletionTimestamp == nil && b.Active {
			for node, problem := range s.health(svc, b) {
				w.lasting(seen, svc.Namespace, fmt.Sprintf("Service %s: target %s", svc.Name, node), problem, healthLimit)
			}
		}
	}
}

// health says which targets of a load balancer are not as the Service's policy has it, and how, by node. Without an endpoint nothing is
// wrong: a check of the node port fails everywhere then, one of kube-proxy nowhere.
func (s state) health(svc corev1.Service, b install.LoadBalancer) map[string]string {
	with, wrong := s.nodesWithEndpoints(svc), map[string]string{}
	if len(with) == 0 {
		return nil
	}
	for _, node := range s.nodes {
		healthy, isTarget := b.Healthy[node.Name]
		want := svc.Spec.ExternalTrafficPolicy != corev1.ServiceExternalTrafficPolicyLocal || with[node.Name]
		if !isTarget || healthy == want || node.DeletionTimestamp != nil || !ready(node) {
			continue
		}
		is := map[bool]string{true: "is healthy", false: "is unhealthy"}[healthy]
		wrong[node.Name] = fmt.Sprintf("%s with policy %s and endpoints on %v", is, svc.Spec.ExternalTrafficPolicy, slices.Sorted(maps.Keys(with)))
	}
	return wrong
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

// lasting finds something that is there for a while. How it is may change meanwhile.
func (w *watch) lasting(seen map[string]bool, namespace, what, how string, limit time.Duration) {
	key := namespace + "/" + what
	seen[key] = true
	if w.since[key].IsZero() {
		w.since[key] = w.looked
	}
	if w.looked.Sub(w.since[key]) > limit {
		w.add(namespace, fmt.Sprintf("%s %s, for more than %s", what, how, limit))
	}
}

func (w *watch) add(namespace, text string) {
	if w.found[namespace] == nil {
		w.found[namespace] = map[string]bool{}
	}
	w.found[namespace][text] = true
}

// ours reports whether an event is the controller manager's. Others, such as that of endpoint slices, warn of what passes.
func ours(e corev1.Event) bool {
	return e.Source.Component == "multicloud-ccm" || e.Source.Component == "service-controller"
}
