package cloud

import (
	"context"
	"time"
)

// Composite takes the place of Balancers where load balancers consist of several resources, each with requests of its own. The kernel
// compares the resources, orders the steps and carries them out one by one, see package composite.
type Composite interface {
	BalancerReader

	// ResourceKinds returns the kinds of resources, in the order in which resources are made: what
	// lets traffic through first, what leads traffic to others after them. It is pure.
	ResourceKinds() []ResourceKind
	// Resources returns the resources before and after a change. It takes the present ones from
	// Change.Before and may read what only this change needs, such as the subnet of a new balancer.
	// It writes nothing. An error means that nothing of the change can be done.
	Resources(ctx context.Context, change Change) (Resources, error)
}

// Resources are what a balancer consists of before and after a change. Resources that the change
// leaves alone, such as those of other people, are in neither list.
type Resources struct {
	// Present are the resources as they were observed.
	Present []Resource
	// Wanted are the resources as they have to be. A present one that is not wanted is deleted.
	Wanted []Resource
	// Again says that something is left alone for now, such as what connections still use: the balancer
	// is looked at again after that time.
	Again time.Duration
}

// Resource is one object of the cloud, as it is or as it has to be.
type Resource struct {
	// Kind is the name of its ResourceKind.
	Kind string
	// Key tells it from others of its kind. It is the driver's choice, and the same in both lists.
	// People read it in plans.
	Key string
	// ID is the cloud's id, "" of a resource that is not there.
	ID string
	// Fields are the managed fields. One that only the wanted resource has is for its creation and is not compared.
	Fields Fields
	// Needs are further resources that have to be there before this one is made. While the cloud refuses
	// one of them, this one is not changed.
	Needs []IDOf
	// Trial is made before this resource is replaced, and deleted afterwards, nil where none is. It
	// shows whether the cloud would take the new resource while the old one still serves.
	Trial *Resource
	// Otherwise is made where the cloud refuses to make this one, such as the same without an address that was asked for, nil
	// where nothing is. The refusal is said all the same.
	Otherwise *Resource
	// Alone says that it is made by a request of its own, although its kind is brought along.
	Alone bool
	// Problem is why the cloud cannot have this resource, nil when it can. It is the error of the
	// step that would make or change it.
	Problem error
	// Machine is the machine that the resource makes a target, "" where it makes none.
	Machine InstanceID
	// Native is the driver's own.
	Native Native
}

// Ref returns what stands for the id of the resource in the fields of others.
func (r Resource) Ref() IDOf {
	return IDOf{Kind: r.Kind, Key: r.Key}
}

// Made is what the answer to a creation says of a balancer.
type Made struct {
	ID string
	// Addresses are what it is reached at, of a cloud that has done what it answers: a balancer is not read after a change.
	Addresses []BalancerAddress
	// Chosen are fields that the cloud chose and a Reference stands for, by name. Where one is missing the balancer is looked at first.
	Chosen map[string]string
	// Native is what Observe would keep in Observed.Native, none where the answer does not say all. The look at the end of the
	// change is given it in Input.Last, where the driver has Capabilities.VersionStamps.
	Native Native
}

// ResourceKind declares a kind of resources and how they are written. Create, Update and Delete are
// one request each where the API allows it. References in the fields they get are known.
type ResourceKind struct {
	// Name is the name in the API, in the singular.
	Name string
	// Target says that its resources are targets, which alone have a Machine. They come and go with nodes, and are replaced, also while the cloud
	// refuses something else.
	Target bool
	// Immutable are the fields the API refuses to change. A resource in which one differs is
	// deleted and made again. So is what refers to it, unless that leads elsewhere by then.
	Immutable []AnyField
	// Last are fields that change after everything else, such as a name by which other resources
	// are known.
	Last []AnyField
	// Unique is the field of which the cloud takes no value twice, such as a name, the zero Field for none. Where a present resource has the
	// value that a wanted one of the kind is made with, or changes to, it first gets another one: that with its id behind.
	Unique Field[string]
	// Separate are fields that each take a request of their own to change. All others of a resource are
	// changed together.
	Separate []AnyField
	// Settles is for how long the cloud is busy with a change at the least. While it is busy it
	// takes no change of any kind that settles. 0 means that it never is. A driver with Operations is asked
	// for the state of the Anchor by its id: when that has settled, the next step follows without another look.
	Settles time.Duration
	// Anchor says that the resource bears the ownership tags by which the rest is found. It goes
	// last.
	Anchor bool
	// Compares says of an Anchor that Update reads what it writes as a whole, such as the ownership tags, and fails with a conflict
	// where that is not as in present any more. Then it can follow another step without a look at the balancer.
	Compares bool
	// OfService says that the Service has these resources once, whichever balancer serves. While
	// another balancer of the Service is there, none of them is deleted.
	OfService bool
	// Takes are kinds of resources that refer to one of this kind, or to another one that goes, and
	// are deleted together with it.
	Takes []string
	// Brings are kinds of resources that refer to one of this kind and are made together with it,
	// in one request, as far as all they refer to is there or in the same request. The others are
	// made by themselves.
	Brings []string
	// Disturbs are kinds of resources that the cloud may change, or take away, together with a change or a deletion of one of this
	// kind. Whatever was known of them is not believed afterwards: the balancer is looked at before the next step that is about
	// one of them, and before anybody says that the change is made.
	Disturbs []string
	// FoundThrough is the kind of resources that lead to those of this kind. It is deleted after
	// them, so that they are found again after a crash.
	FoundThrough string
	// Batch is the field that names the resource to which several of this kind belong that are
	// written in one request, none where each is written by itself. They refer to nothing else, are
	// deleted together with it, and their keys hold its key.
	Batch Field[Reference]
	// Together is the field that names what several of this kind belong to that are made in one
	// request and deleted in one, none where each is made by itself. It can be the id of an object that
	// is no resource of the balancer. They are deleted together with it, and no field refers to them.
	Together Field[Reference]

	// Fits returns why the cloud would refuse a resource, as far as reads say so, nil where nothing does. It is asked before the
	// present one is deleted to be made again, or what leads to that one is changed for it. nil where nothing can be read
	// beforehand. It only reads.
	Fits func(ctx context.Context, present, wanted Resource) error

	// Any of the following may return a *Running: then the rest of the change follows when its
	// operations have ended.

	// Create makes a resource, together with those that its kind brings, and returns its id. That of an Anchor compares the answer
	// with what it asked for, see AnswersCreation.
	Create func(ctx context.Context, wanted Resource, with []Resource) (id string, err error)
	// CreateBalancer is there in place of Create where the answer says more than the id. Only an Anchor has it.
	CreateBalancer func(ctx context.Context, wanted Resource, with []Resource) (Made, error)
	// Update changes the fields of these names. nil means that there is nothing to change.
	Update func(ctx context.Context, present, wanted Resource, fields []string) error
	// Delete deletes a resource, with those that its kind takes. One that is gone already is as
	// good.
	Delete func(ctx context.Context, present Resource) error
	// Write makes all resources that belong to the one with that id be these, and no others. Only
	// kinds with Batch have it, and they have none of the other three.
	Write func(ctx context.Context, id string, wanted []Resource) error
	// Add makes several resources, and Remove deletes several. Only kinds with Together have them, in
	// place of Create and Delete.
	Add    func(ctx context.Context, wanted []Resource) error
	Remove func(ctx context.Context, present []Resource) error
}

// Waiting is the error of a step of which a part has to wait although nothing is wrong, such as the
// deletion of what another object still uses, or a target that the cloud does not take yet. All that
// could be done is done, the other steps go on, and the balancer is looked at again.
type Waiting struct {
	// After is when, 0 for soon: until then the cloud is busy.
	After time.Duration
	// Warnings say what waits, and why.
	Warnings []Warning
}

func (w *Waiting) Error() string { return "a part of it has to wait" }

// NotReplaced is the error of a resource that was deleted to be made again, and that the cloud refuses then. What was there before
// is made once more. It is not tried again for the same request, see Change.NotReplaced.
type NotReplaced struct {
	Resource IDOf
	Err      error
}

func (e *NotReplaced) Error() string {
	return e.Err.Error() + "; it is put back as it was before, and this is not tried again until the Service changes"
}

func (e *NotReplaced) Unwrap() error { return e.Err }
