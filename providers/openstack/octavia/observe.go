package octavia

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// ListBalancers implements cloud.BulkLister.
func (d *Balancers) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	var s object.BulkList
	var err error
	if s.Balancers, s.Read, err = d.reader.Balancers(ctx); err != nil {
		return nil, err
	}
	if s.Floating, err = d.reader.FloatingIPs(ctx, d.reader.OfProject()); err != nil {
		return nil, err
	}
	if s.Groups, err = d.reader.Groups(ctx, url.Values{}); err != nil {
		return nil, err
	}
	if d.Config.ManageSecurityGroups {
		s.Ports, err = d.reader.MachinePorts(ctx)
	}
	return &bulkList{d, s}, err
}

// bulkList is all balancers of one moment.
type bulkList struct {
	of  *Balancers
	all object.BulkList
}

// Observe implements cloud.BulkList.
func (l *bulkList) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return l.of.observe(ctx, &l.all, in)
}

// Observe implements cloud.Balancers. A Service that leaves is told what is true now: another one may have
// joined its balancer since a bulk list, and the tags are written as a whole.
func (d *Balancers) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return d.observe(ctx, nil, in)
}

// observe looks for the balancer in a bulk list, or in the cloud where that is nil.
func (d *Balancers) observe(ctx context.Context, from *object.BulkList, in cloud.Input) (cloud.Observed, error) {
	if in.Deleting && !in.Removed {
		from = nil
	}
	f, err := d.find(ctx, from, in)
	if err != nil {
		return cloud.Observed{}, err
	}
	if f.lb == nil {
		return d.absent(ctx, from, in)
	}
	if state, _ := object.Lifecycle(*f.lb); state == cloud.BalancerPending {
		s := &object.Snapshot{LB: *f.lb, Sole: f.sole, Security: object.Security{None: d.groups.AreNone(in.Known)}}
		if last := object.LastOf(in.Known); f.lb.Provisioning == object.StatusPendingCreate && last.IsAnswer(*f.lb) {
			s.Answer, s.Members, s.Monitors = true, last.Members, last.Monitors
		}
		o := cloud.Observed{Found: true, ID: f.lb.ID, ByName: f.byName, Rivals: f.rivals, Duplicates: f.duplicates, State: state, Native: object.Native.Seal(s), Balancer: d.view(s, in), Findings: desired.Found.Seal(d.findings(s, in))}
		o.Owner, o.Shared = owner.Read(d.Rules, s, in).Owner()
		return o, nil
	}
	s, err := d.parts(ctx, f, in)
	if err != nil {
		return cloud.Observed{}, fmt.Errorf("reading balancer %s: %w", f.lb.ID, err)
	}
	if in.Deleting && owner.Read(d.Rules, s, in).HasNothing() {
		return d.absent(ctx, from, in)
	}
	if err := d.addNeighbours(ctx, s, from, in); err != nil {
		return cloud.Observed{}, err
	}
	s.Sole = f.sole && !object.LastOf(in.Known).IsSole(s.LB.ID)
	o := d.observed(s, in)
	o.ByName, o.Rivals, o.Duplicates = f.byName, f.rivals, f.duplicates
	return d.explore(ctx, s, o, in)
}

// parts reads what belongs to a balancer in Octavia. What is behind the listeners of others is left out, and for a deletion all
// that it does not depend on: what goes as a whole, and what goes with pools.
func (d *Balancers) parts(ctx context.Context, f found, in cloud.Input) (*object.Snapshot, error) {
	s, last := &object.Snapshot{LB: *f.lb}, object.LastOf(in.Known)
	leaves := in.Deleting && !in.Retained
	whole := leaves && d.Config.CascadeDelete
	if whole && owner.Read(d.Rules, s, in).MadeFor {
		return s, nil
	}
	if err := d.reader.AddListeners(ctx, s, last); err != nil || whole && owner.Read(d.Rules, s, in).MayDelete {
		return s, err
	}
	if err := d.reader.AddPools(ctx, s, last); err != nil || leaves {
		return s, err
	}
	if !last.IsAnswer(s.LB) {
		s.Read = f.read
	}
	return s, d.reader.AddBehind(ctx, s, last, owner.Read(d.Rules, s, in).Pools(s.Pools))
}

// addNeighbours reads what belongs to a balancer in Neutron. Who leaves one that stays leaves its floating IP, too.
func (d *Balancers) addNeighbours(ctx context.Context, s *object.Snapshot, from *object.BulkList, in cloud.Input) error {
	if tenancy := owner.Read(d.Rules, s, in); in.Deleting && !in.Retained && tenancy.Tags.Ours && !tenancy.MayDelete {
		return d.groups.Find(ctx, s, from, in)
	}
	if err := d.floating.Find(ctx, s, from, in); err != nil {
		return err
	}
	return d.groups.Find(ctx, s, from, in)
}

// absent is what is said when there is no balancer. Its floating IP or security group may be
// left: both are known by the Service's UID.
func (d *Balancers) absent(ctx context.Context, from *object.BulkList, in cloud.Input) (cloud.Observed, error) {
	s := &object.Snapshot{}
	if err := d.addNeighbours(ctx, s, from, in); err != nil {
		return cloud.Observed{}, err
	}
	o := cloud.Observed{Native: object.Native.Seal(s)}
	o.Orphans = len(s.Security.Groups) > 0 || s.Free != nil && !option.KeepFloatingIP.Bool(in.Options)
	return d.explore(ctx, s, o, in)
}

// explore finds out what a change will need: where to take a floating IP from, the network the
// members are in, and whether there is a certificate. What the Service asks for and is not to be
// found is a fact about it, so that its nodes are kept up to date in spite of it. A Service that
// leaves needs none of this.
func (d *Balancers) explore(ctx context.Context, s *object.Snapshot, o cloud.Observed, in cloud.Input) (cloud.Observed, error) {
	if !in.Deleting {
		found := desired.Found.Open(o.Findings)
		if err := d.exploreFloating(ctx, s, &found, in); err != nil {
			return cloud.Observed{}, err
		}
		if err := d.exploreMembers(ctx, s, &found, in); err != nil {
			return cloud.Observed{}, err
		}
		d.exploreTLS(ctx, s, &found, in.Spec)
		d.exploreGuards(s, &found, in)
		o.Findings = desired.Found.Seal(found)
	}
	if o.Found {
		in.Findings = o.Findings
		o.Balancer = d.view(s, in)
	}
	return o, nil
}

func (d *Balancers) exploreFloating(ctx context.Context, s *object.Snapshot, found *desired.Findings, in cloud.Input) error {
	where := d.PlaceOf(in)
	lacks := s.Floating == nil && s.Free == nil && !where.Internal && !found.IPv6 && !found.Tenant
	if !lacks || in.IPv6 || where.FloatingNetwork != "" {
		return nil
	}
	network, err := cloud.NetworkOf[string]{Reader: d}.Of(ctx, in.Environment)
	if err == nil {
		found.FloatingNetwork, found.NoNetwork = network, network == ""
	}
	return err
}

// ReadNetwork is that of cloud.NetworkOf: the external network is the same for all Services.
func (d *Balancers) ReadNetwork(ctx context.Context) (string, error) {
	return d.floating.FindNetwork(ctx)
}

func (d *Balancers) exploreMembers(ctx context.Context, s *object.Snapshot, found *desired.Findings, in cloud.Input) error {
	where := d.PlaceOf(in)
	id := cmp.Or(where.MemberSubnet, s.LB.Subnet, where.Subnet)
	if !d.Config.ManageSecurityGroups || id == "" {
		return nil
	}
	subnet, _, err := api.GetOne[neutron.Subnet](ctx, d.network, "subnet", "subnets", id)
	if err == nil && subnet.CIDR == "" {
		err = cloud.ErrIncomplete
	}
	switch {
	case api.IsNotFound(err):
		found.NoSubnet = id
	case err != nil:
		return fmt.Errorf("reading subnet %s: %w", id, err)
	}
	found.MemberCIDR = subnet.CIDR
	return nil
}

// exploreGuards names the nodes at which no security group enforces source ranges.
func (d *Balancers) exploreGuards(s *object.Snapshot, found *desired.Findings, in cloud.Input) {
	if d.Enforcer() != cloud.EnforcedByNodes || len(in.SourceRanges) == 0 {
		return
	}
	in.Findings = desired.Found.Seal(*found)
	for _, t := range in.Candidates {
		if secgroup.Unguarded(s.Security, desired.MemberAddress(t, desired.OnIPv6(in))) {
			found.Unguarded = append(found.Unguarded, t.NodeName)
		}
	}
	slices.Sort(found.Unguarded)
}

// storeBarbican is the container store whose references can be checked.
const storeBarbican = "barbican"

// exploreTLS looks for the certificate that a Service names, unless a listener has it already.
func (d *Balancers) exploreTLS(ctx context.Context, s *object.Snapshot, found *desired.Findings, spec cloud.Spec) {
	ref := option.TLS.In(spec.Options)
	inUse := slices.ContainsFunc(s.Listeners, func(l object.Listener) bool { return l.TLSRef == ref })
	if ref == "" || inUse || d.Config.ContainerStore != storeBarbican {
		return
	}
	if d.secrets == nil {
		found.WrongTLS = "the cloud has no key manager; set container-store = external in [LoadBalancer] to use references unchecked"
		return
	}
	kind, id, ok := parseTLSRef(ref)
	if !ok {
		found.WrongTLS = "want the reference of a container or a secret, such as https://host/v1/containers/<uuid>"
		return
	}
	_, err := api.Get(ctx, d.secrets, d.secrets.ServiceURL(kind, id), nil)
	switch {
	case api.IsNotFound(err):
		found.WrongTLS = "the key manager has nothing of this name"
	case err != nil:
		found.WrongTLS = "the key manager does not show it: " + string(api.Classify(err).Class)
	}
}

// parseTLSRef splits https://host/v1/containers/<uuid>.
func parseTLSRef(ref string) (kind, id string, ok bool) {
	u, err := url.Parse(ref)
	if err != nil || u.Host == "" {
		return "", "", false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) < 3 || parts[len(parts)-3] != "v1" {
		return "", "", false
	}
	kind = parts[len(parts)-2]
	id, isID := option.CheckUUID(parts[len(parts)-1])
	return kind, id, isID && (kind == "containers" || kind == "secrets")
}
