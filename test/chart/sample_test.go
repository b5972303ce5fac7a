package chart_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// The values in config/samples render, and what they name is where the program looks.
func TestSamplesRender(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root(t), "config", "samples", "*", "values*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("samples %q, %v", paths, err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mustRender(t, release{values: []string{string(content)}})
	}
}

// A clouds.yaml and certificates need no value of their own: they are in a volume, at the path
// where OpenStack's clients look.
func TestCloudsFileIsMounted(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root(t), "config", "samples", "openstack", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out := mustRender(t, release{values: []string{string(content)}})
	pods := []corev1.PodSpec{out.pod(t).Spec, as[corev1.Pod](t, out, "Pod", "").Spec} // the doctor's too
	for _, pod := range pods {
		mounted := slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
			return m.MountPath == "/etc/openstack" && m.Name == "openstack"
		})
		if !mounted {
			t.Errorf("no mount of /etc/openstack among %v", pod.Containers[0].VolumeMounts)
		}
	}
	if secret := as[corev1.Secret](t, out, "Secret", ""); secret.StringData["cloud.conf"] == "" {
		t.Errorf("the cloud.conf is not in the Secret: %v", secret.StringData)
	}
}
