package toycloud

import (
	"context"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The kinds of resources that a load balancer consists of, by their names in the API.
const (
	kindBalancer = "balancer"
	kindListener = "listener"
)

// The fields that are managed, by their names in the API. A driver sets and reads them by these variables.
var (
	fieldName, fieldInternal      = cloud.NewField[string]("name"), cloud.NewField[bool]("internal")
	fieldTargets, fieldHealthPort = cloud.NewField[[]string]("targets"), cloud.NewField[int]("health_port")
	fieldLabels, fieldBalancer    = cloud.NewField[map[string]string]("labels"), cloud.NewField[cloud.Reference]("balancer_id")
	fieldProtocol                 = cloud.NewField[string]("protocol")
	fieldPort, fieldTargetPort    = cloud.NewField[int]("port"), cloud.NewField[int]("target_port")
)

// ResourceKinds implements cloud.Composite. The balancer comes first: listeners belong to it, and its
// targets have to be there before a listener leads traffic to them.
func (d *Driver) ResourceKinds() []cloud.ResourceKind {
	balancer := d.kind(kindBalancer, "balancers")
	balancer.Anchor = true
	listener := d.kind(kindListener, "listeners")
	listener.Immutable = []cloud.AnyField{fieldProtocol}
	return []cloud.ResourceKind{balancer, listener}
}

// kind is a kind of resources whose fields are sent as they are. The balancer is busy for about a
// second after each change.
func (d *Driver) kind(name, collection string) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: name, Settles: time.Second,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			id, err := d.client.Create(ctx, collection, wanted.Fields)
			return id, cloud.ForTargets(err, api.IsForTargets(err))
		},
		Update: func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			err := d.client.Update(ctx, collection, present.ID, wanted.Fields.Only(fields...))
			return cloud.ForTargets(err, api.IsForTargets(err))
		},
		Delete: func(ctx context.Context, present cloud.Resource) error {
			if err := d.client.Delete(ctx, collection, present.ID); !api.IsNotFound(err) {
				return err
			}
			return nil // somebody else was faster
		},
	}
}

// Resources implements cloud.Composite: what was observed, and what After says.
func (d *Driver) Resources(_ context.Context, change cloud.Change) (r cloud.Resources, err error) {
	present := native.Open(change.Before.Native)
	if !change.Before.Native.IsNone() {
		r.Present = resources(present, change.Input.Owner)
	}
	if change.After != nil {
		r.Wanted = resources(asStored(*change.After, present.balancer.Labels), change.Input.Owner)
	}
	return r, nil
}

// asStored is a load balancer as the API would show it. Labels of users stay.
func asStored(b cloud.Balancer, labels map[string]string) snapshot {
	stored := snapshot{balancer: api.Balancer{
		Name: b.Name, Internal: b.Scope == cloud.ScopeInternal, HealthPort: b.Health.Port,
		Targets: []string{}, Labels: tags.Replace(labels, b.OwnershipTags),
	}}
	for _, id := range b.Targets {
		stored.balancer.Targets = append(stored.balancer.Targets, string(id))
	}
	for _, l := range b.Listeners {
		stored.listeners = append(stored.listeners, api.Listener{Protocol: l.Protocol.Lower(), Port: l.Port, TargetPort: l.TargetPort})
	}
	return stored
}

// resources lists what a load balancer consists of. The id of the balancer, which listeners refer to,
// is filled in by the kernel once the balancer is there.
func resources(s snapshot, owner cloud.Owner) []cloud.Resource {
	balancer := cloud.Resource{Kind: kindBalancer, Key: owner.String(), ID: s.balancer.ID, Fields: cloud.FieldsOf(fieldName.Is(s.balancer.Name), fieldInternal.Is(s.balancer.Internal),
		fieldHealthPort.Is(s.balancer.HealthPort), fieldTargets.Is(s.balancer.Targets), fieldLabels.Is(s.balancer.Labels))}
	list := []cloud.Resource{balancer}
	for _, l := range s.listeners {
		list = append(list, cloud.Resource{Kind: kindListener, Key: strconv.Itoa(l.Port), ID: l.ID, Fields: cloud.FieldsOf(fieldBalancer.Is(cloud.To(balancer.Ref())),
			fieldProtocol.Is(l.Protocol), fieldPort.Is(l.Port), fieldTargetPort.Is(l.TargetPort))})
	}
	return list
}
