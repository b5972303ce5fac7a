package doctor

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// BundleOptions say what goes into an archive besides what the doctor reads.
type BundleOptions struct {
	// Files are added under their names, as they are: they say what the program is, which has no secrets.
	Files map[string]any
	// Secrets are texts that must not be in the archive, wherever they come from.
	Secrets []string
	// Harmless reports whether the values of a flag may be in the archive.
	Harmless func(flag string) bool
	// Checkup bounds what the checks read; logs have a time of their own.
	Checkup time.Duration
}

// Bundle writes an archive with everything that a maintainer needs: the report, and the objects that
// it is about. No Secret and no ConfigMap is read; values of environment variables, of flags and
// annotations that nobody knows, and whatever looks like a secret, are hidden.
func Bundle(ctx context.Context, o Options, b BundleOptions, out io.Writer) (Report, error) {
	checks, cancel := context.WithTimeout(ctx, b.Checkup)
	defer cancel()
	f := gather(checks, o.withDefaults(), time.Now())
	report := f.report()
	r := newRedactor(b.Secrets)
	files := map[string]any{"report.json": report.Document()}
	for name, content := range b.Files {
		files[name] = plain{content}
	}
	f.objects(files, r, b.Harmless)
	var text bytes.Buffer
	if err := report.Text(&text, layout.Page{}); err != nil { // unwrapped: what is hidden may have spaces
		return report, err
	}
	files["report.txt"] = text.String()
	for name, log := range f.logs(ctx) {
		files[name] = log
	}
	return report, archive(out, files, r, f.now)
}

// archive writes the files, by name.
func archive(out io.Writer, files map[string]any, r redactor, now time.Time) error {
	zipped := gzip.NewWriter(out)
	tape := tar.NewWriter(zipped)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		content, err := r.written(files[name])
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		header := &tar.Header{Name: "doctor/" + name, Mode: 0o600, Size: int64(len(content)), ModTime: now}
		if err := tape.WriteHeader(header); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if _, err := io.WriteString(tape, content); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	if err := tape.Close(); err != nil {
		return fmt.Errorf("closing the archive: %w", err)
	}
	return zipped.Close()
}

// plain is content in which nothing is hidden, although it may look like a secret, as the id of a commit does.
type plain struct{ content any }

// written returns the text of a file. Secrets are hidden in each text of an object before it becomes
// JSON, which writes characters such as & and quotes in another way.
func (r redactor) written(content any) (string, error) {
	switch c := content.(type) {
	case string:
		return r.text(c), nil
	case plain:
		return indented(c.content)
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return "", err
	}
	return indented(r.tree(tree))
}

// indented returns the content as JSON for people.
func indented(content any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(content)
	return out.String(), err
}

// kept are the prefixes of annotations and labels whose values may be in an archive.
var kept = []string{"kubernetes.io/", "k8s.io/", "multicloud-ccm.io/", "alpha.kubernetes.io/", "app.kubernetes.io/", "helm.sh/chart"}

// lastApplied is the whole object once more, as somebody wrote it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (f *facts) harmlessKey(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	known := slices.ContainsFunc(kept, func(k string) bool {
		return prefix == strings.TrimSuffix(k, "/") || strings.HasSuffix(prefix, "."+strings.TrimSuffix(k, "/")) || key == k
	})
	return known && key != lastApplied
}

// meta is what may be known of an object.
func (f *facts) meta(m metav1.ObjectMeta, r redactor) metav1.ObjectMeta {
	m.ManagedFields = nil
	m.Annotations, m.Labels = r.values(m.Annotations, f.harmlessKey), r.values(m.Labels, func(key string) bool { return f.harmlessKey(key) || key == "component" || key == "k8s-app" })
	return m
}

// objects adds what was read of the cluster.
func (f *facts) objects(files map[string]any, r redactor, harmless func(string) bool) {
	var nodes, services, pods, leases, workloads []any
	for _, node := range f.nodes.value {
		kept := node.DeepCopy()
		kept.ObjectMeta, kept.Status.Images = f.meta(node.ObjectMeta, r), nil
		nodes = append(nodes, kept)
	}
	for n := range f.services.value {
		if svc := f.services.value[n].DeepCopy(); svc.Spec.Type == corev1.ServiceTypeLoadBalancer {
			svc.ObjectMeta = f.meta(svc.ObjectMeta, r)
			services = append(services, svc)
		}
	}
	for _, pod := range slices.Concat(f.pods.value, f.dns.value, f.control.value) {
		kept := pod.DeepCopy()
		kept.ObjectMeta, kept.Spec = f.meta(pod.ObjectMeta, r), r.pod(pod.Spec, harmless)
		pods = append(pods, kept)
	}
	for _, lease := range f.leases.value {
		kept := lease.DeepCopy()
		kept.ObjectMeta = f.meta(lease.ObjectMeta, r)
		leases = append(leases, kept)
	}
	for _, w := range f.workloads.value {
		workloads = append(workloads, map[string]any{
			"kind": w.Kind, "namespace": w.Namespace, "name": w.Name, "ours": w.Ours, "wanted": w.Wanted, "pod": r.pod(w.Pod, harmless),
		})
	}
	files["nodes.json"], files["services.json"], files["pods.json"] = nodes, services, pods
	files["leases.json"], files["workloads.json"] = leases, workloads
	var events []string
	for n := range f.events.value {
		e := &f.events.value[n]
		o := e.InvolvedObject
		if o.Kind == "Node" || o.Kind == "Service" || o.Kind == "Lease" {
			events = append(events, fmt.Sprintf("%s %s %s/%s %s: %s", inspect.EventTime(e).UTC().Format(time.RFC3339), o.Kind, o.Namespace, o.Name, e.Reason, e.Message))
		}
	}
	files["events.txt"] = strings.Join(events, "\n") + "\n"
}

// pod is how a Pod is run, without values that are nobody's business.
func (r redactor) pod(spec corev1.PodSpec, harmless func(string) bool) corev1.PodSpec {
	spec = *spec.DeepCopy()
	spec.EphemeralContainers = nil // somebody's debugging
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for n := range list {
			c := &list[n]
			for e := range c.Env {
				if c.Env[e].Value != "" {
					c.Env[e].Value = hidden
				}
			}
			c.Command, c.Args = r.args(c.Command, harmless), r.args(c.Args, harmless)
			c.Lifecycle, c.LivenessProbe, c.ReadinessProbe, c.StartupProbe = nil, nil, nil, nil
		}
	}
	for n := range spec.Volumes { // the names of what is mounted, not how
		spec.Volumes[n].FlexVolume, spec.Volumes[n].CSI = nil, nil
	}
	return spec
}
