package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// judgeLeader looks at the lease of the election, and of the records that are kept without one too.
//
//	--leader-elect          the lease           outcome
//	true, not known, or     held, renewed       ok
//	 a dry run
//	true, or not known      not renewed         failure
//	false, or a dry run     none, never held    ok: there is no election
//	false, or a dry run     not renewed         ok: it is left from an earlier election
//	false                   held, renewed       warning: a process with an election leads besides
//	true                    none                failure
//	true                    never held          warning: no election yet
//	not known               never held          ok: only a process without an election leaves one so
//	not known, no Node of   none                failure
//	 ours is initialised
//	not known, one is       none                warning: whoever did it has no election, or is another one
func judgeLeader(f *facts) Outcome {
	lease := f.lease.value
	switch {
	case f.lease.err != nil:
		return cannot(f.lease.err)
	case f.Manager.DryRun && !renewed(lease, f.now):
		return fine("a dry run, which takes no lease")
	case f.Manager.NoElection && !f.Manager.DryRun:
		return judgeUnused(lease, f.now)
	case lease == nil && !f.Manager.Known && anyInitialised(f):
		return warning(fmt.Sprintf("lease %s does not exist: no controller manager has led yet, unless it runs with --leader-elect=false", f.Lease),
			"give the doctor the flag --leader-elect=false if the controller manager has it; if not, see whether it runs: kubectl -n "+f.Lease.Namespace+" get pods -o wide")
	case lease == nil:
		return failure(fmt.Sprintf("lease %s does not exist: no controller manager has led yet", f.Lease),
			"see whether its Pod runs: kubectl -n "+f.Lease.Namespace+" get pods -o wide")
	case neverHeld(lease) && f.Manager.Known:
		return warning(fmt.Sprintf("lease %s/%s has had no holder: there has been no election yet", lease.Namespace, lease.Name),
			"see whether the controller manager's Pods run: kubectl -n "+lease.Namespace+" get pods -o wide")
	case neverHeld(lease):
		return fine("lease %s/%s has records and has had no holder: the controller manager runs with --leader-elect=false, and only one may run", lease.Namespace, lease.Name)
	}
	return judgeLease(lease, f.now)
}

// anyInitialised reports whether a Node of this cloud is initialised.
func anyInitialised(f *facts) bool {
	named, _ := f.mine()
	return slices.ContainsFunc(named, func(node *corev1.Node) bool { return !instance.Uninitialized(node) })
}

// neverHeld reports whether there has been no election for the lease. A process without one keeps its records on it.
func neverHeld(lease *coordinationv1.Lease) bool {
	return ptr.Deref(lease.Spec.HolderIdentity, "") == "" && lease.Spec.RenewTime == nil
}

// judgeUnused looks at the lease, if there is one, of a controller manager without an election.
func judgeUnused(lease *coordinationv1.Lease, now time.Time) Outcome {
	if renewed(lease, now) {
		return warning(fmt.Sprintf("%s holds lease %s/%s and renews it, although the controller manager runs with --leader-elect=false: another process leads", *lease.Spec.HolderIdentity, lease.Namespace, lease.Name),
			"only one may run: end the other, or let all have an election: kubectl -n "+lease.Namespace+" get pods -o wide")
	}
	return fine("no election (--leader-elect=false): only one controller manager may run")
}

func judgeLease(lease *coordinationv1.Lease, now time.Time) Outcome {
	holder, renewed, valid := holding(lease, now)
	if !valid {
		return failure(fmt.Sprintf("nobody leads: lease %s/%s was renewed %s ago", lease.Namespace, lease.Name, now.Sub(renewed).Round(time.Second)),
			"see why the controller manager does not run: kubectl -n "+lease.Namespace+" describe pods", "last leader: "+holder)
	}
	return fine("%s leads", holder)
}

// renewed reports whether there is a lease, and somebody holds it.
func renewed(lease *coordinationv1.Lease, now time.Time) bool {
	if lease == nil {
		return false
	}
	_, _, valid := holding(lease, now)
	return valid
}

// holding returns who holds a lease, since when it has not been renewed, and whether it counts.
func holding(lease *coordinationv1.Lease, now time.Time) (holder string, renewed time.Time, valid bool) {
	holder = ptr.Deref(lease.Spec.HolderIdentity, "")
	renewed = ptr.Deref(lease.Spec.RenewTime, metav1.MicroTime{}).Time
	age := time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second
	return holder, renewed, holder != "" && now.Sub(renewed).Round(time.Second) <= age
}

// embedded are the distributions with a controller manager of their own, by the scheme of its
// provider-IDs, which begins the name of its lease too.
var embedded = []string{"k3s", "rke2"}

// judgeSecond looks for a controller manager besides ours that works on the same Nodes.
//
//	besides ours runs                           outcome
//	a lease that is renewed, of another name    failure
//	a workload for the same cloud               failure
//	a workload of ours that only plans          ok
//	a workload for another cloud of ours        ok: it has Nodes of its own
//	while ours only plans, anything             ok
func judgeSecond(f *facts) Outcome {
	if f.Manager.DryRun {
		return fine("the controller manager only plans, so another one may run beside it")
	}
	var evidence []string
	others := map[string]bool{}
	for _, w := range f.workloads.value {
		if other(f, w) {
			others[w.Name] = true
			evidence = append(evidence, fmt.Sprintf("%s runs %s", w, strings.Join(images(w), ", ")))
		}
	}
	for n := range f.leases.value {
		if lease := &f.leases.value[n]; foreignLease(f, lease) {
			holder, _, _ := holding(lease, f.now)
			evidence = append(evidence, fmt.Sprintf("lease %s/%s is held by %s", lease.Namespace, lease.Name, holder))
		}
	}
	if w := f.Manager.Workload; w != nil && w.Wanted > 1 && f.Manager.NoElection {
		evidence = append(evidence, fmt.Sprintf("%s has %d replicas and --leader-elect=false", w, w.Wanted))
	}
	if len(evidence) > 0 {
		return failure("another cloud controller manager runs", "", bounded(evidence)...)
	}
	if err := f.leases.err; err != nil {
		return cannot(err)
	}
	if err := f.workloads.err; err != nil {
		return cannot(err)
	}
	return fine("no other is seen among Deployments, DaemonSets and leases")
}

// other reports whether a workload works on our Nodes and is not ours.
func other(f *facts, w *Workload) bool {
	mine := f.Manager.Workload
	switch {
	case w.Wanted == 0, w.Flag("dry-run") == "true":
		return false
	case mine != nil && w.Kind == mine.Kind && w.Namespace == mine.Namespace && w.Name == mine.Name:
		return false
	case mine == nil && w.Ours:
		return false // there are several, and which of them is meant is not known
	case f.Cloud == nil:
		return w.Ours
	}
	return w.Provider == f.Cloud.Name || !anotherCloud(f, w.Provider)
}

// anotherCloud reports whether Nodes show that the cloud of that name is used beside ours.
func anotherCloud(f *facts, provider string) bool {
	if provider == "" {
		return false
	}
	return slices.ContainsFunc(f.nodes.value, func(n *corev1.Node) bool {
		scheme, _, _ := strings.Cut(n.Spec.ProviderID, "://")
		return scheme == provider && instance.Owner(n, f.Cloud.Concerns) == instance.Foreign
	})
}

func images(w *Workload) []string {
	var list []string
	for _, c := range w.Pod.Containers {
		list = append(list, c.Image)
	}
	return list
}

// foreignLease reports whether a lease is one of another controller manager that runs.
func foreignLease(f *facts, lease *coordinationv1.Lease) bool {
	if lease.Namespace == f.Lease.Namespace && lease.Name == f.Lease.Name || !strings.Contains(lease.Name, "cloud-controller-manager") && !strings.HasSuffix(lease.Name, "-ccm") {
		return false
	}
	for _, w := range f.workloads.value { // the lease of one that may run
		if w.Flag("leader-elect-resource-name") == lease.Name && !other(f, w) {
			return false
		}
	}
	_, _, valid := holding(lease, f.now)
	return valid
}
