package cloud

import "context"

// BalancerGroup is what a driver has for load balancers. Either Whole is there or Composite.
type BalancerGroup struct {
	// Whole writes a load balancer as a whole, Composite the resources that it consists of.
	Whole     Balancers
	Composite Composite

	// Defaults are what the configuration says of annotations, in canonical form by the name of the annotation. A Service
	// without the annotation is treated as if it had that value.
	Defaults map[string]string
	// Impossible says why the configured cloud cannot do what portable annotations ask for, by the
	// name of the annotation. On a Service such an annotation has no effect, and an event says why.
	// Upstream's spelling of the same annotation is passed on.
	Impossible map[string]string

	TargetLimit   TargetLimit
	Reach         Reach
	Validator     Validator
	Checker       Checker
	Recorder      Recorder
	Replacer      Replacer
	BulkLister    BulkLister
	OwnedLister   OwnedLister
	NetworkReader NetworkReader
}

// BalancerReader reads load balancers and says what a Service asks for.
type BalancerReader interface {
	// Observe reads the balancer that belongs to the Service, as a whole, together with the
	// findings that Normalize and changes need. It only reads. A balancer that definitely does not exist is
	// Observed.Found == false and no error; any doubt is an error, because the framework
	// drops the finalizer of a Service whose balancer is said not to exist.
	//
	// It looks by Ref.ID when set, then by ownership tag, then by name: an id that no longer
	// exists does not end the search, and neither does a text that cannot be an id of this cloud.
	// Found balancers carry the owner their ownership tags claim, which the kernel judges. Of several
	// ownership.Choose takes one, see Observed.Duplicates for the others.
	//
	// Where targets are addresses and no machines, they are UnknownInstance of the address:
	// the kernel knows whose it is.
	//
	// The Observe of a BulkList looks there in place of the cloud. The kernel believes what was
	// found in it, and asks the cloud before a known balancer counts as gone.
	Observe(ctx context.Context, in Input) (Observed, error)

	// Normalize returns the balancer the Spec asks for, with the value the API would store
	// in every managed field, so that Diff of a fresh observation is empty. It is pure:
	// same Spec, same answer, no I/O. It must not fill Targets. Warnings say what was dropped
	// or changed; an error (use *Invalid) means that nothing sensible can be built.
	Normalize(in Input) (Balancer, []Warning, error)

	// Eligible says why a machine cannot be a target of the balancer, or "" when it can.
	// It is pure.
	Eligible(b Balancer, t Target) (reason string)
}

// Balancers reads and changes load balancers that are written as a whole. Those that consist of several resources are a Composite.
type Balancers interface {
	BalancerReader

	// Apply executes the change. A nil Change.After deletes the balancer and everything
	// that belongs to it; deleting what is already gone succeeds. Progress says whether
	// the cloud is still busy; Apply never waits for it.
	Apply(ctx context.Context, change Change) (Progress, error)
}

// TargetLimit is for load balancers that can have so many targets and no more.
type TargetLimit interface {
	// MaxTargets returns the most targets of a balancer as it has to be, 0 for no limit. It is pure.
	MaxTargets(wanted Balancer) int
}

// Validator refuses some requests whatever there is in the cloud. The kernel asks before it reads
// anything for a Service without a balancer: what is refused so costs no request.
type Validator interface {
	// Validate returns what Normalize would refuse with any findings, joined with errors.Join. exists says that there is a balancer, as
	// far as the kernel knows, whose type and other fixed parts may be others than a new one would have. It is pure.
	Validate(spec Spec, exists bool) error
}

// Checker is for a cloud where it can be read beforehand what would make it refuse a balancer. The kernel asks before each creation, and before it deletes a balancer to
// make another one in its place.
type Checker interface {
	// Check returns everything that keeps the balancer from being made, joined with
	// errors.Join: names and ids that do not exist, an address outside its subnet or in use, a
	// quota that is used up. What the user can mend is an *Invalid that names the field.
	//
	// before is the balancer that is deleted first, so that what it uses counts as free; where none is,
	// what Observe said when it found nothing. Check only reads, and a read that fails is an error.
	Check(ctx context.Context, in Input, before Observed) error
}

// Recorder is for a cloud that has no place for an ownership tag on a part of a load balancer, such as one
// port of one that others use too: the Service remembers which parts are its own.
type Recorder interface {
	// Record returns the annotations that the Service has to have before the change is made, nil for none: whatever
	// becomes of the change, the next process knows what may have been made for the Service. It is pure.
	Record(change Change) map[string]string
}

// Replacer is for a cloud where a new balancer can be made while the one
// whose place it takes still serves. Elsewhere the old one is deleted first. It needs a
// Descriptor.IDAnnotation, which says which of the two serves.
//
//	call                      with Input.Beside, the balancer that still serves
//	Observe                   looks for another balancer of the owner by Ref.ID, then by tag, never
//	                          by name; the balancer in Beside is not found
//	Normalize                 chooses what both cannot have, such as a unique name, so that it
//	                          differs; after the old balancer is gone it is changed like any field
//	Apply of a creation       makes a balancer and leaves the one in Beside alone
//	Apply of a deletion       deletes only that balancer; what the other one uses stays
type Replacer interface {
	// Coexist says why the balancer cannot be made while before exists, such as the
	// same address asked for by both, or "" when it can. It is pure. The reason completes the
	// sentence "the present one has to be deleted first, because …".
	Coexist(in Input, before Observed) (reason string)
}

// BulkLister is for a cloud that can list balancers whole: one reading
// then serves the Observe of many Services.
type BulkLister interface {
	// ListBalancers reads all balancers the credentials can see, all pages; a part that could not
	// be read is an error.
	ListBalancers(ctx context.Context) (BulkList, error)
}

// BulkList is all balancers of one moment. It may be observed for several Services at once. What few of them need is a BulkPart.
type BulkList interface {
	// Observe is that of BalancerReader, with the list in place of the cloud.
	Observe(ctx context.Context, in Input) (Observed, error)
}

// OwnedLister is for a cloud that lists balancers with their ownership tags.
type OwnedLister interface {
	// ListOwned reads all balancers the credentials can see, all pages, and returns at least those whose ownership tags name our
	// cluster, by its id or a former one, and a Service of it; a part that could not be read is an error. Of the owner only cluster, its
	// former ids and cloud are set. An upstream CCM's tags count as in Observed.Owner.
	ListOwned(ctx context.Context, us Owner) ([]OwnedBalancer, error)
}

// NetworkReader is for load balancers that depend on what is the same for all Services and changes
// rarely, such as subnets, zones, route tables and the sizes that there are: one reading then serves the
// Observe of all Services for a minute at most. It is a NetworkOf.
type NetworkReader interface {
	read(ctx context.Context) (any, error)
}

// NetworkOf reads what surrounds load balancers, in the driver's own type.
type NetworkOf[N any] struct {
	Reader interface {
		// ReadNetwork reads all of it; a part that could not be read is an error. The answer must not be changed afterwards.
		ReadNetwork(ctx context.Context) (N, error)
	}
}

func (n NetworkOf[N]) read(ctx context.Context) (any, error) { return n.Reader.ReadNetwork(ctx) }

// Of returns what was read for all Services a minute ago at most, and has it read where nobody did. Only Observe may ask.
func (n NetworkOf[N]) Of(ctx context.Context, in Environment) (N, error) {
	if in.Network == nil {
		return n.Reader.ReadNetwork(ctx)
	}
	value, err := in.Network(ctx)
	network, _ := value.of.(N)
	return network, err
}

// Network is what a NetworkReader has read.
type Network struct{ of any }

// ReadNetwork reads what surrounds load balancers.
func ReadNetwork(ctx context.Context, reader NetworkReader) (Network, error) {
	value, err := reader.read(ctx)
	return Network{value}, err
}
