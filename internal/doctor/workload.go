package doctor

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Workload is something that runs a cloud controller manager.
type Workload struct {
	Kind, Namespace, Name string
	// Ours says that it is of this project.
	Ours bool
	// Provider is its --cloud-provider, "" when that is not among its flags.
	Provider string
	// Args are what its container is started with.
	Args []string
	// Wanted is how many Pods it should have.
	Wanted   int
	Pod      corev1.PodSpec
	selector string
}

func (w *Workload) String() string { return w.Kind + " " + w.Namespace + "/" + w.Name }

// Flag returns the value of one of its flags, "" when it is not given.
func (w *Workload) Flag(name string) string {
	value := ""
	for n, arg := range w.Args {
		switch {
		case arg == "--"+name && n+1 < len(w.Args) && !strings.HasPrefix(w.Args[n+1], "-"):
			value = w.Args[n+1]
		case arg == "--"+name:
			value = "true"
		case strings.HasPrefix(arg, "--"+name+"="):
			value = strings.TrimPrefix(arg, "--"+name+"=")
		}
	}
	return value
}

// Account returns the service account that it runs with.
func (w *Workload) Account() (namespace, name string) {
	return w.Namespace, cmp.Or(w.Pod.ServiceAccountName, "default")
}

// FindWorkloads returns what runs a cloud controller manager, ours or another one. An error is a
// lack of rights, or says that the API server failed.
func FindWorkloads(ctx context.Context, client kubernetes.Interface) ([]*Workload, error) {
	return newReader(client).workloads(ctx)
}

func newReader(client kubernetes.Interface) *reader {
	return &reader{client: client, asked: map[right]error{}}
}

func (r *reader) workloads(ctx context.Context) ([]*Workload, error) {
	apps := r.client.AppsV1()
	deployments := read(ctx, r, right{"list", "apps", "deployments", "", ""}, func() (*appsv1.DeploymentList, error) {
		return apps.Deployments("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	})
	sets := read(ctx, r, right{"list", "apps", "daemonsets", "", ""}, func() (*appsv1.DaemonSetList, error) {
		return apps.DaemonSets("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	})
	if err := cmp.Or(deployments.err, sets.err); err != nil {
		return nil, err
	}
	var found []*Workload
	for _, d := range deployments.value.Items {
		wanted := 1
		if d.Spec.Replicas != nil {
			wanted = int(*d.Spec.Replicas)
		}
		found = add(found, newWorkload("Deployment", d.ObjectMeta, d.Spec.Template, d.Spec.Selector), wanted)
	}
	for _, s := range sets.value.Items {
		found = add(found, newWorkload("DaemonSet", s.ObjectMeta, s.Spec.Template, s.Spec.Selector), max(1, int(s.Status.DesiredNumberScheduled)))
	}
	return found, nil
}

func add(found []*Workload, w *Workload, wanted int) []*Workload {
	if w == nil {
		return found
	}
	w.Wanted = wanted
	return append(found, w)
}

// ourName is in the names of this project's images and charts.
const ourName = "multicloud-ccm"

// newWorkload returns nil for what runs something else.
func newWorkload(kind string, meta metav1.ObjectMeta, template corev1.PodTemplateSpec, selector *metav1.LabelSelector) *Workload {
	ours := template.Labels["app.kubernetes.io/name"] == ourName || strings.HasPrefix(meta.Labels["helm.sh/chart"], ourName+"-")
	for _, c := range template.Spec.Containers {
		image := path.Base(strings.Split(c.Image, "@")[0])
		own := strings.HasPrefix(image, ourName) || strings.Contains(c.Image, "/"+ourName+"/")
		if !own && (!ours || !isManager(image, c)) && !isManager(image, c) {
			continue
		}
		w := &Workload{
			Kind: kind, Namespace: meta.Namespace, Name: meta.Name, Ours: own || ours,
			Args: slices.Concat(c.Command, c.Args), Pod: template.Spec, selector: metav1.FormatLabelSelector(selector),
		}
		w.Provider = w.Flag("cloud-provider")
		return w
	}
	return nil
}

// managers are parts of the names of the programs that are cloud controller managers.
var managers = []string{"cloud-controller-manager", "cloud-provider-", "-ccm"}

func isManager(image string, c corev1.Container) bool {
	named := func(text string) bool {
		return slices.ContainsFunc(managers, func(part string) bool { return strings.Contains(path.Base(text), part) })
	}
	return named(image) || c.Name == "cloud-controller-manager" || len(c.Command) > 0 && named(c.Command[0])
}

// Choose returns the workload of this project that runs the provider, or the only one when no
// provider is named; nil when there is none or it is not clear which.
func Choose(all []*Workload, provider string) *Workload {
	ours := slices.DeleteFunc(slices.Clone(all), func(w *Workload) bool {
		return !w.Ours || provider != "" && w.Provider != "" && w.Provider != provider
	})
	if len(ours) == 1 {
		return ours[0]
	}
	live := slices.DeleteFunc(ours, func(w *Workload) bool { return w.Flag("dry-run") == "true" })
	if len(live) == 1 {
		return live[0]
	}
	return nil
}
