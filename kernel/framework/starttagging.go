package framework

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/tagging"
)

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
		e.plans.Round("tags")
		return drain.Do(ctx, e.calls, cloud.PriorityRefresh, manager.Reconcile)
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
