package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// found is what is wrong when everything should be in order, each a list of what it is about.
type found struct {
	duplicates, leaks, deletedNodes, staleNodes, newNodes, stuck, addressless, lost, moved []string
}

// lists are all of them.
func (f found) lists() [][]string {
	return [][]string{f.duplicates, f.leaks, f.deletedNodes, f.staleNodes, f.newNodes, f.stuck, f.addressless, f.lost, f.moved}
}

// isWrong reports whether anything is.
func (f found) isWrong() bool {
	return slices.ContainsFunc(f.lists(), func(list []string) bool { return len(list) > 0 })
}

// calmDown waits until cluster and cloud are as they should be, and returns what is still wrong when it has waited for too long.
func (x *soaking) calmDown(ctx context.Context) (f found, err error) {
	deadline := time.Now().Add(quiet)
	for {
		if f, err = x.compare(ctx); err != nil {
			return f, err
		}
		if !f.isWrong() || time.Now().After(deadline) {
			return f, nil
		}
		select {
		case <-x.process.Done(): // a kubelet starts it again
			if err := x.launch(); err != nil {
				return f, err
			}
		default:
		}
		wait(ctx, time.Second)
	}
}

// compare compares cloud and cluster.
func (x *soaking) compare(ctx context.Context) (f found, err error) {
	services, err := x.services(ctx)
	if err != nil {
		return f, err
	}
	balancers, err := x.Cloud.Balancers(ctx)
	if err != nil {
		return f, err
	}
	nodes, err := x.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return f, err
	}
	for name, s := range x.all() {
		f.service(s, services[name], balancers)
	}
	f.balancers(services, balancers)
	f.nodes(x.names(), nodes.Items)
	for _, list := range f.lists() {
		slices.Sort(list)
	}
	return f, nil
}

// service looks at one Service:
//
//	the Service            what it has to have
//	asks                   an address, of a load balancer that is there; the first one, if it only changes
//	anything else          no finalizer of ours
//	was deleted            nothing: it is gone
func (f *found) service(s slot, svc *corev1.Service, balancers []testcloud.Balancer) {
	if s.moved != "" {
		f.moved = append(f.moved, s.name+": "+s.address+", then "+s.moved)
	}
	switch {
	case svc == nil:
		if s.stage != absent && s.stage != leaving {
			f.lost = append(f.lost, s.name)
		}
	case isOurs(svc) && len(svc.Status.LoadBalancer.Ingress) == 0:
		f.addressless = append(f.addressless, s.name)
	case isOurs(svc) && !slices.ContainsFunc(balancers, func(b testcloud.Balancer) bool { return b.UID == string(svc.UID) && reached(svc, b.Addresses) }):
		f.lost = append(f.lost, s.name+": no load balancer at its address")
	case !isOurs(svc) && (svc.DeletionTimestamp != nil || servicehelper.HasLBFinalizer(svc)):
		f.stuck = append(f.stuck, s.name+" "+string(s.stage)+" since "+s.since.Format(time.TimeOnly))
	}
}

// balancers looks for load balancers that nobody asks for, and for those that are one too many.
func (f *found) balancers(services map[string]*corev1.Service, balancers []testcloud.Balancer) {
	count := map[string]int{}
	for _, svc := range services {
		if isOurs(svc) {
			count[string(svc.UID)] = 0
		}
	}
	for _, b := range balancers {
		if _, asked := count[b.UID]; !asked {
			f.leaks = append(f.leaks, b.ID+" of "+b.UID)
			continue
		}
		if count[b.UID]++; count[b.UID] > 1 {
			f.duplicates = append(f.duplicates, b.ID+" of "+b.UID)
		}
	}
}

// nodes looks for Nodes that are gone although their machine is there, those that are there although it is gone, and for those that were
// not initialised.
func (f *found) nodes(machines []string, nodes []corev1.Node) {
	there := map[string]bool{}
	for _, node := range nodes {
		there[node.Name] = true
		_, has := slices.BinarySearch(machines, node.Name)
		switch {
		case !has:
			f.staleNodes = append(f.staleNodes, node.Name)
		case node.Spec.ProviderID == "":
			f.newNodes = append(f.newNodes, node.Name)
		}
	}
	for _, name := range machines {
		if !there[name] {
			f.deletedNodes = append(f.deletedNodes, name)
		}
	}
}

// verdict says what was done, so that a soak in which nothing happens does not pass, and what came of it.
func (x *soaking) verdict(f found, length, took time.Duration) []Result {
	requests, faults, tardy := x.front.counted()
	x.mu.Lock()
	defer x.mu.Unlock()
	done := fmt.Sprintf("%s, %d Nodes, %d Services, seed %d", length, x.machines, x.soak.services, x.seed)
	none := func(what string, list []string) Result {
		return count(done, what, 0, len(list), strings.Join(list[:min(10, len(list))], "; "))
	}
	changes := 0
	for _, n := range x.done {
		changes += n
	}
	after := fmt.Sprintf("in order %.0f s after the last fault", took.Seconds())
	if f.isWrong() {
		after = "not " + after
	}
	return []Result{
		atLeast(done, "kills", int(length/time.Minute), x.kills),
		atLeast(done, "changes", int(length/(4*x.calm)), changes),
		atLeast(done, "requests", int(length/time.Second), requests),
		atLeast(fmt.Sprintf("%d requests", requests), "requests spoiled", requests/50, faults),
		atLeast(fmt.Sprintf("%d requests", requests), "reads late", requests/200, tardy),
		none("balancers of living Services deleted", x.wrong),
		count(fmt.Sprintf("%d times a Service got a second balancer", x.twice), fmt.Sprintf("Services with two for more than %s", mostDoubled), 0, len(x.doubled), strings.Join(x.doubled, "; ")),
		none("serving balancers without targets", x.idle),
		count(after, "duplicates", 0, len(f.duplicates), strings.Join(f.duplicates, "; ")),
		none("leaked balancers", f.leaks),
		none("Nodes deleted though their machine is there", f.deletedNodes),
		none("Nodes left though their machine is gone", f.staleNodes),
		none("Nodes not initialised", f.newNodes),
		none("stuck finalizers", f.stuck),
		none("Services without an address", f.addressless),
		none("Services lost", f.lost),
		none("addresses that changed", f.moved),
	}
}

// atLeast is a result about a number that must not be smaller than the bound.
func atLeast(done, what string, bound, measured int) Result {
	return Result{Done: done, Bound: fmt.Sprintf("≥ %d %s", bound, what), Measured: fmt.Sprint(measured), OK: measured >= bound}
}
