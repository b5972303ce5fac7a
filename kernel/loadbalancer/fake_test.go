package loadbalancer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The annotations of the fake cloud.
var (
	keyID        = annotation.Key{Name: "fake.io/id", Type: annotation.TypeString, Output: true, Check: checkID, Want: "lb- and a number"}
	keyName      = annotation.Key{Name: "fake.io/name", Type: annotation.TypeString}
	keyInternal  = annotation.Key{Name: "fake.io/internal", Type: annotation.TypeBool, Default: "false"}
	keyTier      = annotation.Key{Name: "fake.io/tier", Type: annotation.TypeEnum, Enum: []string{"basic", "premium"}, Default: "basic"}
	keyAlgorithm = annotation.Key{Name: "fake.io/algorithm", Type: annotation.TypeEnum, Enum: []string{"fair", "random", "other"}, Default: "fair", OtherController: []string{"other"}}
	keyProxy     = annotation.Key{Name: "fake.io/proxy", Type: annotation.TypeBool, Default: "false"}
	fakeKeys     = annotation.Set{keyID, keyName, keyInternal, keyTier, keyAlgorithm, keyProxy}
)

func checkID(id string) (string, bool) { return id, strings.HasPrefix(id, "lb-") && len(id) < 20 }

var fakeDescriptor = cloud.Descriptor{
	Name: "fake", ProviderIDSchemes: []string{"fake"}, IDAnnotation: keyID.Name,
	Capabilities: cloud.Capabilities{
		Balancers: true, SourceRanges: true, VersionStamps: true,
		Protocols: []cloud.Protocol{cloud.ProtocolTCP, cloud.ProtocolUDP},
		Immutable: []string{cloud.FieldScope, "tier"},
	},
}

// stored is a balancer in the fake cloud.
type stored struct {
	cloud.Balancer
	// busy is how often it is still observed pending.
	busy   int
	failed string
	bare   bool // without address
	named  bool // its name holds the Service's UID
	// protected says that the cloud refuses to delete it.
	protected bool
	// network begins its address, "" for 192.0.2.
	network string
}

// fakeDriver is a cloud in memory that replaces whole objects. The zero value is empty.
type fakeDriver struct {
	mu sync.Mutex
	// isList says that it is a bulk list.
	isList    bool
	balancers map[string]*stored
	serial    int
	observes  int
	// writes are the operations of every Apply, in words.
	writes []string
	// busy is how long a new balancer is pending.
	busy int
	// silent drivers return no state from Apply.
	silent bool
	// ready says that nothing is pending after Apply, whatever state it returns.
	ready bool
	// hidden balancers are found by id only, as in a cloud whose lists lag.
	hidden bool
	// undead balancers survive so many deletions.
	undead int
	// sameNames says that several balancers can have one name.
	// rivals are what is told beside a balancer that is found by its name.
	rivals    []string
	sameNames bool
	// slow deletions leave the balancer in place for so many observations.
	slow int
	// shared says that Services only have parts of their own of balancers that others made.
	shared bool
	// orphans says that something is left of a balancer that is gone, until it is deleted too.
	remains bool
	// optional says that something is left for ever that harms nobody.
	optional bool
	// sole says that an observation of what is to be deleted shows whether there is another one.
	sole bool
	// lasts are what each Observe was told of the one before it.
	lasts []*cloud.Observed
	// justTargets is whether the last Observe was told that nothing but targets is changed.
	justTargets bool
	// uninformed counts the observations that were not told of any candidate, see cloud.Spec.
	uninformed int
	// defaults are configured values of annotations.
	defaults map[string]string
	// keep decides what the cloud makes of what it is told; nil keeps all.
	keep func(*cloud.Balancer)
	// step, when set, names the step that an Apply was, of a change of several.
	step func() string
	// refuse, when set, says why the cloud does not make a change.
	refuse func(cloud.Change) error
	// fail, when set, is asked before each call, and after it with done set.
	fail func(call string, done bool) error
}

var (
	errThrottled = errors.New("throttled")
	errConflict  = errors.New("conflict")
	errBroken    = errors.New("broken")
)

func (d *fakeDriver) Identity(context.Context) (cloud.Identity, error) { return cloud.Identity{}, nil }
func (d *fakeDriver) Instances() cloud.Instances                       { return nil }
func (d *fakeDriver) MaxTargets(cloud.Balancer) int                    { return 6 }

func (d *fakeDriver) Classify(err error) cloud.Failure {
	if _, ok := errors.AsType[*cloud.Invalid](err); ok {
		return cloud.Failure{Class: cloud.FailureInvalid}
	}
	switch {
	case errors.Is(err, errThrottled):
		return cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: 42e9}
	case errors.Is(err, errConflict):
		return cloud.Failure{Class: cloud.FailureConflict}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

func (d *fakeDriver) Defaults() map[string]string { return d.defaults }

func (d *fakeDriver) failing(call string, done bool) error {
	if d.fail == nil {
		return nil
	}
	return d.fail(call, done)
}

func (d *fakeDriver) Observe(_ context.Context, in cloud.Input) (cloud.Observed, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.observes++
	d.lasts, d.justTargets = append(d.lasts, in.Last), in.JustTargets
	if len(in.Candidates) == 0 {
		d.uninformed++
	}
	if err := d.failing("observe", false); err != nil {
		return cloud.Observed{}, err
	}
	id, byName := d.find(in)
	if id == "" {
		return cloud.Observed{Orphans: d.remains || d.optional && !in.Removed}, d.failing("observe", true)
	}
	o := d.observed(id)
	if o.ByName = byName; byName {
		o.Rivals = d.rivals
	}
	o.Sole = d.sole && in.Deleting
	if id != in.ID || d.isList || o.Sole {
		o.Duplicates = d.duplicatesOf(in.Spec, id)
	}
	return o, d.failing("observe", true)
}

func (d *fakeDriver) find(in cloud.Input) (id string, byName bool) {
	if d.balancers[in.ID] != nil {
		return in.ID, false
	}
	if d.hidden {
		return "", false
	}
	ids := slices.Sorted(maps.Keys(d.balancers))
	for _, id := range ids {
		if tags := d.balancers[id].OwnershipTags; slices.Contains(tags, "uid="+in.Owner.UID) && !slices.ContainsFunc(tags, func(tag string) bool {
			cluster, named := strings.CutPrefix(tag, "cluster=")
			return named && !in.Owner.HasCluster(cluster)
		}) {
			return id, false
		}
	}
	for _, id := range ids {
		if d.sameNames && slices.Contains(in.Refused, id) {
			continue
		}
		if d.balancers[id].Name == nameOf(in.Spec) {
			return id, true
		}
	}
	return "", false
}

func (d *fakeDriver) observed(id string) cloud.Observed {
	s := d.balancers[id]
	o := cloud.Observed{Found: true, ID: id, State: cloud.BalancerActive, Balancer: s.Clone(), Shared: d.shared, Protected: s.protected}
	for _, ownershipTag := range s.OwnershipTags {
		switch field, value, _ := strings.Cut(ownershipTag, "="); field {
		case "uid":
			o.Owner.UID = value
		case "cluster":
			o.Owner.Cluster = value
		}
	}
	if o.Named = s.named; o.Named {
		o.Owner.UID = "0123-4567"
	}
	switch {
	case s.failed != "":
		o.State, o.Detail = cloud.BalancerFailed, s.failed
	case s.busy > 0:
		o.State = cloud.BalancerPending
		if s.busy--; s.busy == 0 && s.Name == "going" {
			delete(d.balancers, id)
		}
	}
	if !s.bare {
		o.Addresses = []cloud.BalancerAddress{{IP: cmp.Or(s.network, "192.0.2.") + strings.TrimPrefix(id, "lb-"), Proxy: s.ProviderFields["proxy"] == "true"}}
		if s.DualStack {
			o.Addresses = append(o.Addresses, cloud.BalancerAddress{IP: "2001:db8::" + strings.TrimPrefix(id, "lb-")})
		}
	}
	return o
}

func nameOf(spec cloud.Spec) string {
	if name := keyName.In(spec.Options); name != "" {
		return name
	}
	return "web"
}

func (d *fakeDriver) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	b := cloud.Balancer{
		Name: nameOf(in.Spec), Scope: cloud.ScopeExternal, DualStack: in.DualStack,
		Health: &cloud.Health{Protocol: cloud.ProtocolHTTP, Port: in.HealthPort, Path: "/healthz"},
		ProviderFields: map[string]string{
			"tier": keyTier.In(in.Options), "algorithm": keyAlgorithm.In(in.Options), "proxy": keyProxy.In(in.Options),
		},
		OwnershipTags: []string{"cluster=" + in.Owner.Cluster, "uid=" + in.Owner.UID},
	}
	if keyInternal.Bool(in.Options) {
		b.Scope = cloud.ScopeInternal
	}
	if scope, ok := in.Preserved[cloud.FieldScope]; ok {
		b.Scope, b.ProviderFields["tier"] = cloud.Scope(scope), in.Preserved["tier"]
	}
	var notes []cloud.Warning
	if b.ProviderFields["tier"] == "basic" && keyAlgorithm.Has(in.Options) {
		notes = append(notes, cloud.Warning{Field: keyAlgorithm.Name, Message: "it is slow on tier basic"})
	}
	var errs []error
	for i, port := range in.Ports {
		if port.NodePort == 0 {
			errs = append(errs, &cloud.Invalid{Field: fmt.Sprintf("spec.ports[%d].nodePort", i), Value: "0", Want: "a node port is needed"})
		}
		b.Listeners = append(b.Listeners, cloud.Listener{
			Protocol: port.Protocol, Port: port.Port, TargetProtocol: port.Protocol, TargetPort: port.NodePort,
		})
	}
	cloud.SortListeners(b.Listeners)
	for _, prefix := range in.SourceRanges {
		b.Allow = append(b.Allow, prefix.String())
	}
	return b, notes, errors.Join(errs...)
}

func (d *fakeDriver) Eligible(b cloud.Balancer, t cloud.Target) string {
	for _, a := range t.Addresses {
		if a.Type == cloud.AddressInternalIP || a.Type == cloud.AddressExternalIP && b.Scope == cloud.ScopeExternal {
			return ""
		}
	}
	return "it has no address"
}

func (d *fakeDriver) Apply(_ context.Context, change cloud.Change) (cloud.Progress, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("apply", false); err != nil {
		return cloud.Progress{}, err
	}
	if d.refuse != nil {
		if err := d.refuse(change); err != nil {
			return cloud.Progress{}, err
		}
	}
	d.writes = append(d.writes, inWords(change))
	id := change.Before.ID
	progress := cloud.Progress{}
	if change.After == nil && d.balancers[id] != nil && d.balancers[id].protected {
		return cloud.Progress{}, &cloud.Invalid{Field: "protection", Value: "delete", Want: "it is protected"}
	}
	switch {
	case change.After == nil && d.undead > 0:
		d.undead--
	case change.After == nil && d.slow > 0:
		progress.Pending = true
		*d.balancers[id] = stored{Balancer: cloud.Balancer{Name: "going", OwnershipTags: d.balancers[id].OwnershipTags}, busy: d.slow}
	case change.After == nil:
		delete(d.balancers, id)
	case !change.Before.Found:
		d.serial++
		id = fmt.Sprintf("lb-%d", d.serial)
		d.put(id, &stored{busy: d.busy}, change)
	default:
		d.put(id, d.balancers[id], change)
	}
	if change.After != nil && !d.silent {
		o := d.observed(id)
		progress.Observed, progress.Pending = &o, o.State == cloud.BalancerPending && !d.ready
		progress.After = 7e9
	}
	if d.step != nil {
		progress.Pending, progress.Step = true, d.step()
	}
	return progress, d.failing("apply", true)
}

// inWords returns the operations of a change.
func inWords(change cloud.Change) string {
	var words []string
	for _, op := range change.Operations {
		words = append(words, strings.Join(strings.Fields(fmt.Sprintln(op.Verb, op.Kind, op.Key, op.Field)), " "))
	}
	return strings.Join(words, "; ")
}

func (d *fakeDriver) put(id string, s *stored, change cloud.Change) {
	s.Balancer = change.After.Clone()
	if d.keep != nil {
		d.keep(&s.Balancer)
	}
	if d.balancers == nil {
		d.balancers = map[string]*stored{}
	}
	d.balancers[id] = s
}

var (
	_ cloud.Account   = (*fakeDriver)(nil)
	_ cloud.Balancers = (*fakeDriver)(nil)
)

// twinDriver is a cloud in which a Service can have two balancers for a while.
type twinDriver struct {
	*fakeDriver
	// alone is why it cannot, "" when it can.
	alone string
}

func (d twinDriver) Coexist(cloud.Input, cloud.Observed) string { return d.alone }

func (d twinDriver) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	if in.Beside == nil {
		return d.fakeDriver.Observe(ctx, in)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("observe", false); err != nil {
		return cloud.Observed{}, err
	}
	for _, id := range slices.Sorted(maps.Keys(d.balancers)) {
		if id != in.Beside.ID && slices.Contains(d.balancers[id].OwnershipTags, "uid="+in.Owner.UID) {
			return d.observed(id), nil
		}
	}
	return cloud.Observed{}, nil
}

// checkingDriver is a cloud that says beforehand what it would refuse.
type checkingDriver struct {
	*fakeDriver
	check func(in cloud.Input, before cloud.Observed) error
}

func (d checkingDriver) Check(_ context.Context, in cloud.Input, before cloud.Observed) error {
	return d.check(in, before)
}
