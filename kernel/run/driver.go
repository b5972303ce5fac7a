package run

import (
	"context"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

type account struct {
	*caller
	next cloud.Account
}

func (a *account) Identity(ctx context.Context) (cloud.Identity, error) {
	return call(ctx, a.caller, opIdentity, a.next.Identity)
}

// Classify knows the errors of decorated calls too.
func (a *account) Classify(err error) cloud.Failure { return a.failure(err) }

type instances struct {
	*caller
	next cloud.Instances
}

func (i *instances) ParseProviderID(providerID string) (cloud.InstanceID, error) {
	return pure(i.caller, opParseProviderID, func() (cloud.InstanceID, error) {
		return i.next.ParseProviderID(providerID)
	})
}

// List calls a list incomplete that has a machine twice: pages have moved while they were read, and
// another machine may have slipped between two of them.
func (i *instances) List(ctx context.Context) (cloud.InstanceList, error) {
	list, err := call(ctx, i.caller, opListInstances, func(ctx context.Context) (cloud.InstanceList, error) {
		ctx, use := transport.WithUsage(ctx)
		list, err := i.next.List(ctx)
		if err != nil || !list.Complete {
			use.Drop() // the next list may be better
		}
		return list, err
	})
	seen := make(map[cloud.InstanceID]bool, len(list.Items))
	list.Items = slices.DeleteFunc(list.Items, func(item cloud.Instance) bool {
		again := seen[item.ID]
		seen[item.ID], list.Complete = true, list.Complete && !again
		return again
	})
	for n := range list.Items {
		list.Items[n].Addresses = i.can.UsableMachine(list.Items[n].Addresses)
	}
	if list.Err != nil {
		list.Err = &cloud.Error{Failure: i.failure(list.Err), Op: opListInstances.name, Err: list.Err}
	}
	return list, err
}

func (i *instances) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found, err := call(ctx, i.caller, opGetInstances, func(ctx context.Context) (map[cloud.InstanceID]cloud.Instance, error) {
		get := func(ctx context.Context) (map[cloud.InstanceID]cloud.Instance, error) { return i.next.Get(ctx, ids...) }
		return anew(ctx, i.caller, get, func(found map[cloud.InstanceID]cloud.Instance) bool { return len(found) < len(ids) })
	})
	for id, machine := range found {
		machine.Addresses = i.can.UsableMachine(machine.Addresses)
		found[id] = machine
	}
	return found, err
}

func (i *instances) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	found, err := call(ctx, i.caller, opFindInstance, func(ctx context.Context) ([]cloud.Instance, error) {
		find := func(ctx context.Context) ([]cloud.Instance, error) { return i.next.FindByName(ctx, name) }
		return anew(ctx, i.caller, find, func(found []cloud.Instance) bool { return len(found) == 0 })
	})
	for n := range found {
		found[n].Addresses = i.can.UsableMachine(found[n].Addresses)
	}
	return found, err
}

// anew calls f, which reads. What it does not find, or could not read, in kept answers is asked for again at
// once: a machine may have come after them, and an answer without sense must not stay.
func anew[T any](ctx context.Context, c *caller, f func(context.Context) (T, error), absent func(T) bool) (T, error) {
	ctx, use := transport.WithUsage(ctx)
	result, err := f(ctx)
	wrong := err != nil && c.failure(err).Class != cloud.FailureThrottled
	if (wrong || err == nil && absent(result)) && use.Drop() {
		return f(ctx)
	}
	return result, err
}
