package app

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// lacksInventory reports whether a command runs where the file of the inventory is not, and was given none: what it says would be about
// another controller manager.
func (v *view) lacksInventory() bool {
	name, err := chooseProvider(v.provider, registry.Names())
	if err != nil || v.inPod() || v.cloudConfig != "" {
		return false
	}
	provider, _ := registry.Lookup(name)
	return provider.Inventory != nil
}

// learnInventory finds the inventory of the running controller manager where it is lacking.
func (v *view) learnInventory(ctx context.Context) error {
	if !v.lacksInventory() {
		return nil
	}
	client, err := v.client()
	if err != nil {
		return nil // what is wrong with the settings comes first
	}
	all, err := doctor.FindWorkloads(ctx, client)
	if err != nil {
		return nil // who may not list Deployments knows nothing of them
	}
	v.inventory, err = inventoryOf(ctx, client, doctor.Choose(all, v.provider))
	return err
}

// inventoryOf returns what reads the inventory of a controller manager, which its Pods have from a ConfigMap. It is nil without
// inventory.
func inventoryOf(ctx context.Context, client kubernetes.Interface, w *doctor.Workload) (func() ([]byte, error), error) {
	if w == nil || w.Flag("cloud-config") == "" {
		return nil, nil
	}
	file := w.Flag("cloud-config")
	name, err := configMapOf(w.Pod, path.Dir(file))
	var content []byte
	if err == nil {
		content, err = readConfigMap(ctx, client, w.Namespace, name, path.Base(file))
	}
	if err != nil {
		return nil, usagef("the inventory %s of %s cannot be read from here: %v; give it with --cloud-config, or run the command in a Pod: "+
			"kubectl -n %s exec %s/%s -- cloud-controller-manager", file, w, err, w.Namespace, strings.ToLower(w.Kind), w.Name)
	}
	return func() ([]byte, error) { return content, nil }, nil
}

// configMapOf returns the ConfigMap that the Pods have at a path.
func configMapOf(pod corev1.PodSpec, dir string) (string, error) {
	for _, c := range pod.Containers {
		for _, mount := range c.VolumeMounts {
			if path.Clean(mount.MountPath) != path.Clean(dir) {
				continue
			}
			for _, volume := range pod.Volumes {
				if volume.Name == mount.Name && volume.ConfigMap != nil {
					return volume.ConfigMap.Name, nil
				}
			}
		}
	}
	return "", errors.New("it is of no ConfigMap")
}

func readConfigMap(ctx context.Context, client kubernetes.Interface, namespace, name, key string) ([]byte, error) {
	object, err := client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading its ConfigMap: %w", err)
	}
	text, there := object.Data[key]
	if !there {
		return nil, fmt.Errorf("the ConfigMap %s has no key %s", name, key)
	}
	return []byte(text), nil
}
