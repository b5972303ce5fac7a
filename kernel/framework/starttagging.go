package framework

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/tagging"
)

// TaggingController is upstream's name of the controller that tags machines. It runs where
// --controllers names it, and not for "*".
const TaggingController = "tagging"

// startTagging starts the tagging loop. Settings that make no sense end the process.
func startTagging(ctx context.Context, e environment) (bool, error) {
	settings := e.options.Tagging
	if err := settings.Problem(e.cloud.Name, e.cloud.Tagger); err != nil {
		return false, err
	}
	client := e.CompletedConfig.ClientBuilder.ClientOrDie(e.client).CoreV1().Nodes()
	manager := tagging.New(tagging.Options{
		Cloud: e.cloud, Machines: e.inventory, Nodes: e.Nodes, Executor: e.executor, Settings: settings,
		Label: func(ctx context.Context, node *corev1.Node, key, value string) error {
			return setLabel(ctx, client, node, key, value)
		},
	})
	passes := newLoop("Tagging machines", e.options.Tuning.TaggingPoll, func(ctx context.Context) error {
		e.plans.round("tags")
		_, err := track(ctx, e.gate, cloud.PriorityRefresh, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, manager.Reconcile(ctx)
		})
		return err
	})
	if _, err := e.nodes.Informer().AddEventHandler(taggingEvents(manager, passes, e.options.Tuning.NodeBurst)); err != nil {
		return false, fmt.Errorf("watching nodes: %w", err)
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), e.nodes.Informer().HasSynced) {
			passes.run(ctx)
		}
	}()
	return true, nil
}
