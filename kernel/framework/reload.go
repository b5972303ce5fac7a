package framework

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// reloadEvery is how often the file of the inventory is read again. The kubelet needs up to a minute until a changed ConfigMap is in
// the Pod's volume.
const reloadEvery = 10 * time.Second

// reloader reads the file that says which machines there are again and again.
type reloader struct {
	cloud     string
	inventory cloud.Inventory
	metrics   metric.Sink
	// offer shows the Nodes that wait for their cloud to the controllers once more, which may have put them off for minutes.
	offer func()
	// wrong is what the file was refused for when it was read last, warned the warnings about the version that counts.
	wrong  string
	warned bool
}

func (r *reloader) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(reloadEvery):
		}
		r.look(ctx)
	}
}

// look reads the file once. One that is wrong changes nothing, and is logged once.
func (r *reloader) look(ctx context.Context) {
	changed, err := r.inventory.Reload(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		if r.wrong != err.Error() {
			r.wrong = err.Error()
			klog.ErrorS(err, "The inventory is wrong: the last version without mistakes counts", "cloud", r.cloud)
		}
		r.metrics.Set(metric.InventoryFileWrong, 1, r.cloud)
		return
	}
	if r.wrong != "" {
		klog.InfoS("The inventory is without mistakes again", "cloud", r.cloud)
	}
	r.wrong = ""
	r.metrics.Set(metric.InventoryFileWrong, 0, r.cloud)
	if changed || !r.warned {
		r.warned = true
		for _, warning := range r.inventory.Warnings() {
			klog.InfoS("Look at the inventory", "cloud", r.cloud, "warning", warning)
		}
	}
	if changed {
		klog.InfoS("The inventory has changed", "cloud", r.cloud, "entries", len(r.inventory.Entries()))
		r.offer()
	}
}

// followInventory begins to read the inventory again, where there is one. A process that waits for its lease does so too: when it takes
// over, its last version without mistakes is the one of the process before. It has no controllers then to which Nodes are offered.
func (c *Cloud) followInventory() {
	if c.cloud.Inventory == nil {
		return
	}
	waits := func(node *corev1.Node) bool { return c.mine(node) && instance.Uninitialized(node) }
	r := &reloader{cloud: c.cloud.Name, inventory: c.cloud.Inventory, metrics: Metrics(), offer: func() { c.nodes.Offer(waits) }}
	go r.run(c.stopping)
}
