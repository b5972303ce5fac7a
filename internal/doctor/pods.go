package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// condition returns the condition of a Pod, nil when it has none.
func condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for n := range pod.Status.Conditions {
		if pod.Status.Conditions[n].Type == kind {
			return &pod.Status.Conditions[n]
		}
	}
	return nil
}

func podReady(pod *corev1.Pod) bool {
	ready := condition(pod, corev1.PodReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}

// unscheduled returns what the scheduler says about a Pod that has no node.
func unscheduled(pod *corev1.Pod) string {
	scheduled := condition(pod, corev1.PodScheduled)
	if pod.Spec.NodeName != "" || scheduled == nil || scheduled.Status != corev1.ConditionFalse {
		return ""
	}
	return scheduled.Message
}

// portsTaken is what the scheduler says when the ports of a Pod on the host network are in use.
const portsTaken = "didn't have free ports"

func judgeScheduled(f *facts) Outcome {
	if f.pods.err != nil {
		return cannot(f.pods.err)
	}
	var evidence []string
	var fix string
	for n := range f.pods.value {
		pod := &f.pods.value[n]
		says := unscheduled(pod)
		if says == "" || strings.Contains(says, portsTaken) {
			continue
		}
		evidence = append(evidence, fmt.Sprintf("Pod %s/%s: %s", pod.Namespace, pod.Name, says))
		if taints := intolerable(pod, f.nodes.value); len(taints) > 0 {
			evidence = append(evidence, "taints that it does not tolerate: "+names(taints))
			fix = "add tolerations for these taints (chart: tolerations); a controller manager has to run before Nodes are ready"
		}
	}
	if len(evidence) > 0 {
		return failure("the controller manager's Pod finds no node", fix, bounded(evidence)...)
	}
	return fine("%s scheduled", plural(len(f.pods.value), "Pod"))
}

// intolerable are the taints of Nodes that the Pod does not tolerate.
func intolerable(pod *corev1.Pod, nodes []*corev1.Node) []string {
	var list []string
	for _, node := range nodes {
		for n := range node.Spec.Taints {
			taint := &node.Spec.Taints[n]
			tolerated := taint.Effect == corev1.TaintEffectPreferNoSchedule || slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
				return tolerates(t, taint)
			})
			if text := taint.Key + ":" + string(taint.Effect); !tolerated && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

func tolerates(t corev1.Toleration, taint *corev1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	return t.Operator == corev1.TolerationOpExists || t.Key != "" && t.Value == taint.Value
}

// networkless are the Nodes whose kubelets say that they wait for the network add-on.
func networkless(nodes []*corev1.Node) []string {
	var list []string
	for _, node := range nodes {
		for _, c := range node.Status.Conditions {
			says := strings.ToLower(c.Reason + " " + c.Message)
			if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue && (strings.Contains(says, "cni") || strings.Contains(says, "networkplugin") || strings.Contains(says, "network plugin")) {
				list = append(list, node.Name)
			}
		}
	}
	return list
}

func judgeNetwork(f *facts) Outcome {
	if f.pods.err != nil {
		return cannot(f.pods.err)
	}
	waiting := networkless(f.nodes.value)
	for n := range f.pods.value {
		pod := &f.pods.value[n]
		if !pod.Spec.HostNetwork && !podReady(pod) && len(waiting) > 0 {
			return failure("the controller manager waits for the network, and the network add-on may wait for it", "",
				fmt.Sprintf("Pod %s/%s is not on the host network", pod.Namespace, pod.Name), "Nodes without network: "+names(waiting))
		}
	}
	if len(waiting) > 0 && len(f.pods.value) > 0 {
		return fine("on the host network, so it does not wait for that of Pods")
	}
	return fine("it waits for no network")
}

func judgeDNS(f *facts) Outcome {
	switch {
	case f.pods.err != nil:
		return cannot(f.pods.err)
	case f.dns.err != nil:
		return cannot(f.dns.err)
	case len(f.dns.value) == 0 || slices.ContainsFunc(f.dns.value, func(p corev1.Pod) bool { return podReady(&p) }):
		return fine("its resolver does not keep it from starting")
	}
	for n := range f.pods.value {
		pod := &f.pods.value[n]
		hosts := pod.Spec.HostNetwork && pod.Spec.DNSPolicy == corev1.DNSClusterFirst // falls back to the node's
		if pod.Spec.DNSPolicy != corev1.DNSDefault && pod.Spec.DNSPolicy != corev1.DNSNone && !hosts && !podReady(pod) {
			return failure("the controller manager asks the cluster's DNS, which waits for Nodes that it has to initialise", "",
				fmt.Sprintf("Pod %s/%s has dnsPolicy %s", pod.Namespace, pod.Name, pod.Spec.DNSPolicy),
				fmt.Sprintf("none of the %s of the cluster's DNS is ready", plural(len(f.dns.value), "Pod")))
		}
	}
	return fine("it asks the node's resolver")
}

// taken are the words of a program that cannot listen.
const taken = "address already in use"

func judgePort(f *facts) Outcome {
	if f.pods.err != nil {
		return cannot(f.pods.err)
	}
	var evidence []string
	for n := range f.pods.value {
		pod := &f.pods.value[n]
		if says := unscheduled(pod); strings.Contains(says, portsTaken) {
			evidence = append(evidence, fmt.Sprintf("Pod %s/%s: %s", pod.Namespace, pod.Name, says))
		}
		for _, end := range ends(pod) {
			if strings.Contains(end, taken) {
				evidence = append(evidence, fmt.Sprintf("Pod %s/%s on node %s: %s", pod.Namespace, pod.Name, pod.Spec.NodeName, last(end)))
			}
		}
	}
	if len(evidence) == 0 {
		return fine("no Pod of the controller manager says that its port is in use")
	}
	return failure("the controller manager's port is in use on its node", "", bounded(evidence)...)
}

// ends are the reasons for which containers of a Pod do not run.
func ends(pod *corev1.Pod) []string {
	var list []string
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		for _, state := range []corev1.ContainerState{s.State, s.LastTerminationState} {
			if t := state.Terminated; t != nil && (t.ExitCode != 0 || t.Message != "") {
				list = append(list, text("container %s ended with code %d: %s", s.Name, t.ExitCode, strings.TrimSpace(t.Reason+" "+t.Message)))
			}
		}
		if w := s.State.Waiting; w != nil && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
			list = append(list, text("container %s waits: %s %s", s.Name, w.Reason, w.Message))
		}
	}
	return list
}

// last returns the end of a text that may be a log.
func last(text string) string {
	const most = 300
	if len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}

func judgeRunning(f *facts) Outcome {
	if f.pods.err != nil {
		return cannot(f.pods.err)
	}
	var evidence []string
	running := 0
	for n := range f.pods.value {
		pod := &f.pods.value[n]
		reasons := ends(pod)
		switch old := f.now.Sub(pod.CreationTimestamp.Time) > f.Patience; {
		case podReady(pod):
			running++
		case unscheduled(pod) != "", slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(r, taken) }): // other checks say so
		case len(reasons) > 0:
			for _, reason := range reasons {
				evidence = append(evidence, fmt.Sprintf("Pod %s/%s: %s", pod.Namespace, pod.Name, last(reason)))
			}
		case old:
			evidence = append(evidence, fmt.Sprintf("Pod %s/%s is not ready after %s", pod.Namespace, pod.Name, f.now.Sub(pod.CreationTimestamp.Time).Round(time.Second)))
		}
	}
	switch {
	case len(evidence) > 0 && running == 0:
		return failure("the controller manager does not run", "", bounded(evidence)...)
	case len(evidence) > 0:
		return warning("not every Pod of the controller manager runs", "", bounded(evidence)...)
	case len(f.pods.value) == 0 && f.Manager.Workload != nil && f.Manager.Workload.Wanted > 0:
		return failure(f.Manager.Workload.String()+" has no Pod", "see why: kubectl -n "+f.Manager.Workload.Namespace+" describe "+strings.ToLower(f.Manager.Workload.Kind)+" "+f.Manager.Workload.Name)
	}
	return fine("%s ready", plural(running, "Pod"))
}
