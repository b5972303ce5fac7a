package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// maxLabelRepeats is how often a request for labels of machines is sent again that the cloud has throttled: a Node
// waits for them, and most Nodes do without rather than wait.
const maxLabelRepeats = 1

type labeler struct {
	*caller
	next cloud.Labeler
}

var _ cloud.Labeler = (*labeler)(nil)

func (l *labeler) LabelNeed(machine cloud.Instance, labels map[string]string) cloud.LabelNeed {
	return l.next.LabelNeed(machine, labels)
}

func (l *labeler) Labels(ctx context.Context, machines []cloud.Instance) (map[cloud.InstanceID]map[string]string, error) {
	return call(ctx, l.caller, opReadLabels, func(ctx context.Context) (map[cloud.InstanceID]map[string]string, error) {
		return l.next.Labels(transport.WithRepeats(ctx, maxLabelRepeats), machines)
	})
}

type tagger struct {
	*caller
	next cloud.Tagger
}

var _ cloud.Tagger = (*tagger)(nil)

func (t *tagger) TagLabel() string { return t.next.TagLabel() }

func (t *tagger) TagResources() []string { return t.next.TagResources() }

func (t *tagger) Taggable(id cloud.InstanceID) bool { return t.next.Taggable(id) }

func (t *tagger) Tag(ctx context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) ([]cloud.InstanceID, error) {
	return call(ctx, t.caller, opTagMachines, func(ctx context.Context) ([]cloud.InstanceID, error) {
		return t.next.Tag(ctx, ids, resources, tags)
	})
}

func (t *tagger) Untag(ctx context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) error {
	return run(ctx, t.caller, opUntagMachines, func(ctx context.Context) error {
		return t.next.Untag(ctx, ids, resources, tags)
	})
}
