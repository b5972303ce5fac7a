package cluster

import "golang.org/x/sys/unix"

// snapshotter says how containerd stacks layers in dir: overlays cannot be stacked on an
// overlay, which is what the files of a container are in.
func snapshotter(dir string) string {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err == nil && stat.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return "native"
	}
	return "overlayfs"
}
