package doctor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// removed are flags that programs of the control plane do not have any more, or whose value they refuse.
var removed = map[string]func(flag, value string) string{
	"kube-apiserver": func(flag, _ string) string {
		if flag == "cloud-provider" || flag == "cloud-config" {
			return "the API server has no such flag since Kubernetes 1.33, and does not start with it"
		}
		return ""
	},
	"kube-controller-manager": func(flag, value string) string {
		switch {
		case flag == "cloud-provider" && value != "" && value != "external":
			return "only external is possible: no cloud is part of it any more"
		case flag == "cloud-config" && value != "", flag == "external-cloud-volume-plugin" && value != "":
			return "no cloud is part of it any more"
		}
		return ""
	},
}

// judgeControlPlane looks for flags of the time when clouds were part of Kubernetes.
func judgeControlPlane(f *facts) Outcome {
	if f.control.err != nil {
		return cannot(f.control.err)
	}
	var evidence []string
	for n := range f.control.value {
		pod := &f.control.value[n]
		wrong := removed[pod.Labels["component"]]
		if wrong == nil {
			continue
		}
		for flag, value := range flagsOf(pod) {
			if says := wrong(flag, value); says != "" {
				evidence = append(evidence, fmt.Sprintf("Pod %s: --%s=%s: %s", pod.Name, flag, value, says))
			}
		}
	}
	slices.Sort(evidence)
	if len(evidence) > 0 {
		return failure("the control plane is started with flags of removed clouds", "", bounded(evidence)...)
	}
	if len(f.control.value) == 0 {
		return fine("the control plane runs no Pods here")
	}
	return fine("no flags of removed clouds in %s", plural(len(f.control.value), "Pod"))
}

func flagsOf(pod *corev1.Pod) map[string]string {
	flags := map[string]string{}
	for _, c := range pod.Spec.Containers {
		for _, arg := range slices.Concat(c.Command, c.Args) {
			if name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "="); ok && strings.HasPrefix(arg, "--") {
				flags[name] = value
			}
		}
	}
	return flags
}

// judgeSettings says what is wrong with how the controller manager and its provider are configured.
func judgeSettings(f *facts) Outcome {
	switch {
	case len(f.Manager.Problems) > 0:
		evidence := f.Manager.Problems
		if f.CloudErr != nil && f.sky.kind == "" {
			evidence = append(slices.Clone(evidence), f.CloudErr.Error())
		}
		return failure("the controller manager refuses its flags", "correct the flags; it does not start with these", bounded(evidence)...)
	case f.CloudErr != nil && f.sky.kind != "":
		return cannot(notStarted(&f.sky))
	case f.CloudErr != nil:
		return failure(f.CloudErr.Error(), "", bounded(append(f.source(f.CloudErr), f.Warnings...))...)
	case len(f.Warnings) > 0:
		return warning("the provider warns about its configuration", "", bounded(f.Warnings)...)
	}
	from := "the flags of the doctor"
	if f.Manager.Known {
		from = "the flags of the running controller manager"
	}
	return fine("provider %s, with %s", f.Cloud.Name, from)
}
