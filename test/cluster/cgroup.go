package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const cgroupRoot = "/sys/fs/cgroup"

// makeCgroups makes a cgroup of that name in every hierarchy of this machine, because a
// kubelet wants its root to be there.
func makeCgroups(name string) error {
	hierarchies, err := cgroupHierarchies()
	if err != nil {
		return err
	}
	for _, dir := range hierarchies {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return fmt.Errorf("making a cgroup: %w", err)
		}
	}
	return nil
}

// removeCgroups removes the cgroups of that name and all below. It fails as long as there
// are processes in them.
func removeCgroups(name string) error {
	hierarchies, err := cgroupHierarchies()
	if err != nil {
		return err
	}
	for _, dir := range hierarchies {
		var groups []string
		_ = filepath.WalkDir(filepath.Join(dir, name), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				groups = append(groups, path)
			}
			return nil // what vanishes meanwhile needs no removing
		})
		for _, group := range slices.Backward(groups) {
			if err := os.Remove(group); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing a cgroup: %w", err)
			}
		}
	}
	return nil
}

// cgroupHierarchies returns where cgroups are: one folder with version 2, one per
// controller with version 1.
func cgroupHierarchies() ([]string, error) {
	controllers, err := os.ReadFile(filepath.Join(cgroupRoot, "cgroup.controllers"))
	if err == nil {
		return []string{cgroupRoot}, delegate(strings.Fields(string(controllers)))
	}
	entries, err := os.ReadDir(cgroupRoot)
	if err != nil {
		return nil, fmt.Errorf("finding cgroups: %w", err)
	}
	var list []string
	for _, entry := range entries {
		if entry.IsDir() { // not the links cpu → cpu,cpuacct
			list = append(list, filepath.Join(cgroupRoot, entry.Name()))
		}
	}
	return list, nil
}

// delegate gives children of the root of version 2 all controllers.
func delegate(controllers []string) error {
	all := "+" + strings.Join(controllers, " +")
	if err := os.WriteFile(filepath.Join(cgroupRoot, "cgroup.subtree_control"), []byte(all), 0o644); err != nil {
		return fmt.Errorf("giving cgroups their controllers: %w", err)
	}
	return nil
}
