package doctor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// aboutNodes makes a check of something that can be wrong with each Node by itself. find returns what
// is wrong with one, "" when nothing is.
func aboutNodes(level Level, what, well string, find func(*facts, *corev1.Node) string) func(*facts) Outcome {
	return func(f *facts) Outcome {
		if err := f.nodesKnown(); err != nil {
			return cannot(err)
		}
		var found []string
		for _, node := range f.nodes.value {
			if says := find(f, node); says != "" {
				found = append(found, node.Name+": "+says)
			}
		}
		if len(found) > 0 {
			return Outcome{Level: level, Message: plural(len(found), "Node") + " " + what, Evidence: bounded(found)}
		}
		return fine("%s", well)
	}
}

// nodesKnown returns why nothing can be said about Nodes, nil when it can.
func (f *facts) nodesKnown() error {
	switch {
	case f.nodes.err != nil:
		return f.nodes.err
	case f.Cloud == nil:
		return fmt.Errorf("which Nodes are whose depends on the provider: %w", notStarted(&f.sky))
	}
	return nil
}

// withMachines makes a check need the cloud's answers too.
func withMachines(judge func(*facts) Outcome) func(*facts) Outcome {
	return func(f *facts) Outcome {
		if err := f.sky.unknown(); err != nil {
			return cannot(err)
		}
		return judge(f)
	}
}

func (f *facts) owner(node *corev1.Node) instance.Ownership {
	return instance.Owner(node, f.Cloud.Concerns)
}

func (f *facts) old(node *corev1.Node) bool {
	return f.now.Sub(node.CreationTimestamp.Time) > f.Patience
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// judgeOrder counts the Nodes.
func judgeOrder(f *facts) Outcome {
	if err := f.nodesKnown(); err != nil {
		return cannot(err)
	}
	order, waiting, others := 0, []string{}, []*corev1.Node{}
	for _, node := range f.nodes.value {
		switch {
		case f.owner(node) != instance.Mine:
			others = append(others, node)
		case instance.Uninitialized(node) && f.old(node):
			waiting = append(waiting, node.Name)
		default:
			order++
		}
	}
	counted := fmt.Sprintf("%d in order, %d left alone%s", order, len(others), whose(f, others))
	if len(waiting) > 0 {
		return failure(f.late(plural(len(waiting), "Node"), "not initialised"),
			"the checks below say why, where it shows; the controller manager's events are in: kubectl describe node "+waiting[0], counted, "waiting: "+names(waiting))
	}
	return fine("%s", counted)
}

// whose says whose Nodes are that are left alone.
func whose(f *facts, nodes []*corev1.Node) string {
	of := map[string][]string{}
	for _, node := range nodes {
		owner, _ := instance.Whose(f.Cloud, node)
		of[owner] = append(of[owner], node.Name)
	}
	var says []string
	for _, owner := range slices.Sorted(maps.Keys(of)) {
		says = append(says, owner+" ("+names(of[owner])+")")
	}
	if len(says) == 0 {
		return ""
	}
	return ": " + strings.Join(says, ", ")
}

// unflagged finds Nodes whose kubelets registered without the flag.
func unflagged(f *facts, node *corev1.Node) string {
	_, named := f.sky.of[node.Name]
	if f.owner(node) != instance.Unmanaged || named || !f.old(node) {
		return ""
	}
	return fmt.Sprintf("neither provider-ID nor taint: the kubelet registered without --cloud-provider=external (kubelet %s)", node.Status.NodeInfo.KubeletVersion)
}

// byNameOnly finds Nodes that are targets of load balancers and nothing else.
func byNameOnly(f *facts, node *corev1.Node) string {
	machine, named := f.sky.of[node.Name]
	if f.owner(node) != instance.Unmanaged || !named {
		return ""
	}
	return fmt.Sprintf("no provider-ID; found by name as machine %s, a target of load balancers and nothing else", machine.ID)
}

// machineless finds new Nodes for which the cloud has no machine, and puts what it has beside them.
func machineless(f *facts, node *corev1.Node) string {
	if f.owner(node) != instance.Mine || !instance.Uninitialized(node) || !f.old(node) {
		return ""
	}
	if err := instance.Unlisted(f.Cloud, node); err != nil {
		return err.Error()
	}
	if many := f.sky.several[node.Name]; len(many) > 0 {
		return fmt.Sprintf("%d machines have this name: %v", len(many), many)
	}
	says := f.sky.lacks(node)
	if says == "" {
		return ""
	}
	var like []string
	for _, machine := range f.sky.similar(node) {
		like = append(like, fmt.Sprintf("%q (%s)", machine.Name, machine.ID))
	}
	if len(like) > 0 {
		return says + "; it has " + strings.Join(like, ", ")
	}
	return says + ", and none of a similar one"
}

// addressless finds Nodes whose kubelets were given an address that the machine does not have.
func addressless(f *facts, node *corev1.Node) string {
	machine, known := f.sky.of[node.Name]
	wrong := f.sky.nodeIPs[node.Name]
	switch {
	case f.owner(node) != instance.Mine || !known:
		return ""
	case tellsNothing(f, node, machine):
		return noNodeIP
	case wrong == nil || len(machine.Addresses) == 0:
		return ""
	case wrong.Taken != "":
		return fmt.Sprintf("%s is %s, which is %s", wrong.Subject(), wrong.Given, wrong.Taken)
	}
	return fmt.Sprintf("the kubelet's --node-ip is %s, and machine %s has %s", wrong.Given, machine.ID, framework.AddressText(wrong.Has))
}

// silence is how long a Node is NotReady before its machine may be gone for good.
const silence = 7 * 24 * time.Hour

// silentNode finds Nodes that nobody deletes although their kubelets have long been silent.
func silentNode(f *facts, node *corev1.Node) string {
	if f.Cloud == nil || f.owner(node) != instance.Mine {
		return ""
	}
	if _, described := instance.FromNode(f.Cloud, node); !described {
		return ""
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue && f.now.Sub(c.LastTransitionTime.Time) >= silence {
			return fmt.Sprintf("NotReady since %s; if its machine is gone: kubectl delete node %s", c.LastTransitionTime.UTC().Format(time.DateOnly), node.Name)
		}
	}
	return ""
}

// misnamed finds Nodes whose provider-ID keeps us away although they are ours, or cannot be read.
func misnamed(f *facts, node *corev1.Node) string {
	id := node.Spec.ProviderID
	if id == "" {
		return ""
	}
	scheme, _, _ := strings.Cut(id, "://")
	switch f.owner(node) {
	case instance.OptedOut:
		return ""
	case instance.Mine:
		if _, err := f.Cloud.Instances.ParseProviderID(id); err != nil {
			return fmt.Sprintf("its provider-ID %s cannot be read, want %s", id, f.Cloud.Descriptor.ProviderIDForm)
		}
		if f.sky.lacks(node) != "" {
			for _, machine := range f.sky.similar(node) {
				if machine.Name == node.Name {
					return fmt.Sprintf("its provider-ID is %s, and the machine of its name is %s now: it was made anew", id, machine.ProviderID)
				}
			}
		}
		return ""
	}
	if slices.Contains(embedded, scheme) {
		return fmt.Sprintf("its provider-ID %s is of the controller manager that is part of %s", id, scheme)
	}
	if machine, ours := f.sky.named(node.Name); ours {
		return fmt.Sprintf("its provider-ID %s is of another cloud, and %s has a machine of its name, %s", id, f.Cloud.Name, machine.ProviderID)
	}
	if instance.Uninitialized(node) && f.old(node) {
		return fmt.Sprintf("its provider-ID %s is not of %s, and nobody initialises it", id, f.Cloud.Name)
	}
	return ""
}

// named returns the machine of that name, false unless it is exactly one.
func (s *sky) named(name string) (cloud.Instance, bool) {
	var found []cloud.Instance
	for _, machine := range s.machines {
		if machine.Name == name {
			found = append(found, machine)
		}
	}
	if len(found) != 1 {
		return cloud.Instance{}, false
	}
	return found[0], true
}

func gone(f *facts, node *corev1.Node) string {
	if f.owner(node) != instance.Mine || instance.Uninitialized(node) || ready(node) {
		return ""
	}
	return f.sky.lacks(node)
}

func elsewhere(f *facts, node *corev1.Node) string {
	if says := f.sky.lacks(node); says != "" && f.owner(node) == instance.Mine && !instance.Uninitialized(node) && ready(node) {
		return "Ready, though " + says
	}
	return ""
}

// routeless finds Nodes that wait for a route of the cloud.
func routeless(node *corev1.Node) string {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionTrue && c.Reason == "NoRouteCreated" {
			return strings.TrimSpace("waits for a route since " + c.LastTransitionTime.UTC().Format("15:04:05") + " UTC: " + c.Message)
		}
	}
	return ""
}

func judgeNodeRoutes(f *facts) Outcome {
	if f.nodes.err != nil {
		return cannot(f.nodes.err)
	}
	o := aboutNodes(Failure, "without route", "no Node waits for a route", func(f *facts, node *corev1.Node) string {
		if !f.old(node) {
			return ""
		}
		return routeless(node)
	})(f)
	if o.Level == Failure {
		switch {
		case f.Cloud.Routes == nil:
			o.Fix = "cloud " + f.Cloud.Name + " has no routes: let the network add-on make them, and take the condition away, or run the controller manager with --configure-cloud-routes=false"
		case len(f.Manager.ClusterCIDRs) == 0:
			o.Fix = "the controller manager makes no routes: set --cluster-cidr and --configure-cloud-routes=true (chart: controllers.route), or none if the network add-on makes them"
		}
		for n := range f.pods.value {
			if pod := &f.pods.value[n]; unscheduled(pod) != "" {
				o.Evidence = append(o.Evidence, "the controller manager's Pod "+pod.Name+" has no node itself")
			}
		}
	}
	return o
}

// judgeCIDRs holds the pod networks against the Nodes.
func judgeCIDRs(f *facts) Outcome {
	if len(f.Manager.Problems) > 0 {
		return cannot(errors.New("the controller manager refuses its flags, see " + idSettings))
	}
	cidrs := f.Manager.ClusterCIDRs
	if f.Cloud != nil && f.Manager.RoutesAsked {
		switch {
		case f.Cloud.Routes == nil && f.Cloud.Descriptor.Capabilities.Routes:
			return failure("--configure-cloud-routes=true makes no routes: the cloud's configuration names no network for them, or switches them off",
				"set what the provider's page says that routes need, or --configure-cloud-routes=false (chart: controllers.route)")
		case f.Cloud.Routes != nil && len(cidrs) == 0:
			return failure("--configure-cloud-routes=true needs --cluster-cidr, the pod network that routes are made for", "")
		}
	}
	if err := f.sky.routesErr; cloud.IsClass(err, cloud.FailureInvalid) || cloud.IsClass(err, cloud.FailureUnauthorized) {
		return failure("the cluster's routes cannot be read: "+err.Error(), "correct what the message names, or set --configure-cloud-routes=false (chart: controllers.route)")
	}
	if f.nodes.err != nil {
		return cannot(f.nodes.err)
	}
	if len(cidrs) == 0 {
		return fine("no routes are made")
	}
	var wrong []string
	for _, node := range f.nodes.value {
		wrong = append(wrong, misplaced(node, cidrs)...)
		wrong = append(wrong, f.unattached(node)...)
	}
	if len(wrong) > 0 {
		return failure("the pod network does not fit the Nodes", "", bounded(wrong)...)
	}
	return fine("the pod network fits the Nodes")
}
