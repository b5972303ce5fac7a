package octavia

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

var (
	web     = cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "openstack"}
	shopAPI = cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "api", UID: "u-2", Cloud: "openstack"}
	twin    = cloud.Owner{Cluster: "restored", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "openstack"}
	thief   = cloud.Owner{Cluster: "other", Namespace: "shop", Name: "web", UID: "u-3", Cloud: "openstack"}
)

func unconnected() *Balancers { return connected(Clients{}) }

func connected(c Clients) *Balancers {
	return New(c, Settings{Version: api.V(2, 26), Balancer: config.Balancer{MaxShared: 2, Provider: "amphora"}, ClusterName: "kubernetes", Cloud: "openstack"})
}

func TestOwner(t *testing.T) {
	d := unconnected()
	upstream := func(o cloud.Owner) string { return d.OwnershipTags.Name(o) }
	byID := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: "lb"}}
	leaving, taking := byID, byID
	leaving.Deleting = true
	taking.Options = map[string]string{annotation.Adopt.Name: "lb"}
	none := cloud.Owner{}
	// What upstream's ownership tags say of our cluster, and what they say without the id that proves it.
	proven, claimed := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web"}, cloud.Owner{Cluster: "kubernetes", Namespace: "shop", Name: "web"}
	prod2 := cloud.Owner{Cluster: "prod2", Namespace: "shop", Name: "web"}
	neighbour := cloud.Owner{Cluster: "prod", Namespace: "bank", Name: "vault"}
	for name, test := range map[string]struct {
		name   string
		tags   []string
		input  cloud.Input
		want   cloud.Owner
		shared bool
	}{
		"ours":                           {upstream(web), d.OwnershipTags.WantedOwnershipTags(web), byID, web, false},
		"a restored cluster's":           {upstream(web), d.OwnershipTags.WantedOwnershipTags(twin), byID, twin, false},
		"ours, and a restored cluster's": {upstream(web), append(d.OwnershipTags.WantedOwnershipTags(web), d.OwnershipTags.Tag(twin)), byID, web, false},
		"ours and another's":             {upstream(web), append(d.OwnershipTags.WantedOwnershipTags(web), d.OwnershipTags.WantedOwnershipTags(shopAPI)...), byID, web, false},
		"upstream's":                     {upstream(web), []string{upstream(web)}, byID, proven, false},
		"upstream's, by name":            {upstream(web), []string{upstream(web)}, cloud.Input{Spec: cloud.Spec{Owner: web}}, claimed, false},
		"without tags":                   {upstream(web), nil, byID, proven, false},
		"without tags, by name":          {upstream(web), nil, cloud.Input{Spec: cloud.Spec{Owner: web}}, claimed, false},
		"shared":                         {upstream(shopAPI), d.OwnershipTags.WantedOwnershipTags(shopAPI), byID, none, true},
		"shared, not named":              {upstream(shopAPI), d.OwnershipTags.WantedOwnershipTags(shopAPI), cloud.Input{Spec: cloud.Spec{Owner: web}}, shopAPI, false},
		"shared, given up":               {upstream(shopAPI), d.OwnershipTags.WantedOwnershipTags(shopAPI), leaving, shopAPI, false},
		"to be taken over":               {upstream(shopAPI), d.OwnershipTags.WantedOwnershipTags(shopAPI), taking, shopAPI, false},
		"shared by upstream":             {upstream(shopAPI), append(d.OwnershipTags.WantedOwnershipTags(shopAPI), upstream(web)), byID, proven, true},
		"shared by upstream, given up":   {upstream(shopAPI), append(d.OwnershipTags.WantedOwnershipTags(shopAPI), upstream(web)), leaving, proven, true},
		"shared by upstream, and full":   {upstream(shopAPI), append(d.OwnershipTags.WantedOwnershipTags(shopAPI), upstream(web), tag.NamePrefix+"kubernetes_shop_db"), byID, proven, true},
		"full":                           {upstream(shopAPI), append(d.OwnershipTags.WantedOwnershipTags(shopAPI), d.OwnershipTags.Tag(cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "db", UID: "u-9"})), byID, shopAPI, false},
		"another cluster's":              {upstream(web), d.OwnershipTags.WantedOwnershipTags(thief), byID, thief, false},
		"another cluster's of that name": {upstream(web), append(d.OwnershipTags.WantedOwnershipTags(thief), upstream(web)), byID, thief, false},
		"upstream's of prod2":            {tag.NamePrefix + "prod2_shop_web", []string{tag.NamePrefix + "prod2_shop_web"}, byID, prod2, false},
		"untagged, of prod2":             {tag.NamePrefix + "prod2_shop_web", nil, byID, prod2, false},
		"upstream's of another Service":  {tag.NamePrefix + "kubernetes_bank_vault", []string{tag.NamePrefix + "kubernetes_bank_vault"}, leaving, neighbour, false},
		"the same, to be taken over":     {tag.NamePrefix + "kubernetes_bank_vault", []string{tag.NamePrefix + "kubernetes_bank_vault"}, taking, neighbour, false},
		"the same, to be shared":         {tag.NamePrefix + "kubernetes_bank_vault", []string{tag.NamePrefix + "kubernetes_bank_vault"}, byID, none, true},
		"with a user's tag":              {tag.NamePrefix + "kubernetes_bank_vault", []string{"team"}, taking, neighbour, false},
		"kept, to be taken over":         {tag.NamePrefix + "kubernetes_bank_vault", nil, taking, none, false},
		"prod2's of another Service":     {"renamed", []string{tag.NamePrefix + "prod2_bank_vault"}, byID, cloud.Owner{Cluster: "prod2", Namespace: "bank", Name: "vault"}, false},
		"a cluster with a _":             {tag.NamePrefix + "a_b_bank_vault", []string{tag.NamePrefix + "a_b_bank_vault"}, byID, cloud.Owner{Cluster: "a_b", Namespace: "bank", Name: "vault"}, false},
		"the user's own":                 {"terraform", []string{"team"}, byID, none, true},
		"the user's own, taken over":     {"terraform", []string{"team"}, taking, none, false},
		"of its UID":                     {cloud.UIDName("u-1"), nil, byID, web, false},
		"of its UID, another cluster's":  {cloud.UIDName("u-1"), []string{d.OwnershipTags.Tag(twin)}, byID, twin, false},
	} {
		lb := &object.Balancer{ID: "lb", Name: test.name, Tags: test.tags}
		got, shared := owner.Read(d.Rules, &object.Snapshot{LB: *lb}, test.input).Owner()
		if diff := cmp.Diff(test.want, got); diff != "" || shared != test.shared {
			t.Errorf("%s: shared %t (-want +got):\n%s", name, shared, diff)
		}
	}
}

// TestOwnerWithoutTags: before Octavia 2.5 the name is all there is.
func TestOwnerWithoutTags(t *testing.T) {
	d := unconnected()
	d.Version = api.V(2, 4)
	in := cloud.Input{Spec: cloud.Spec{Owner: web, Options: map[string]string{annotation.Adopt.Name: "lb"}}, Known: cloud.Known{ID: "lb"}}
	if got, shared := owner.Read(d.Rules, &object.Snapshot{LB: object.Balancer{ID: "lb", Name: tag.NamePrefix + "kubernetes_bank_vault"}}, in).Owner(); got.Name != "vault" || shared {
		t.Errorf("owner %+v, shared %t", got, shared)
	}
}

func TestChoose(t *testing.T) {
	d := unconnected()
	all := []object.Balancer{
		{ID: "gone", Name: d.OwnershipTags.Name(web), Provisioning: object.StatusDeleted},
		{ID: "thief's", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(thief)},
		{ID: "upstream's", Name: d.OwnershipTags.Name(web), Tags: []string{d.OwnershipTags.Name(web)}},
		{ID: "leaving", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(web), Provisioning: object.StatusPendingDelete},
		{ID: "ours-2", Name: "renamed", Tags: d.OwnershipTags.WantedOwnershipTags(web)},
		{ID: "ours-1", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(web)},
	}
	in := cloud.Input{Spec: cloud.Spec{Owner: web}}
	for count, want := range map[int]string{1: "", 2: "", 3: "upstream's", 4: "leaving", 5: "ours-2", 6: "ours-1"} {
		f := d.choose(object.BulkList{Balancers: all[:count]}, in)
		got := ""
		if f.lb != nil {
			got = f.lb.ID
		}
		if got != want || f.byName != (want == "upstream's") {
			t.Errorf("of %d balancers %q, by name %t; want %q", count, got, f.byName, want)
		}
		if twice := count == 6; twice != slices.Equal(f.duplicates, []string{"ours-2"}) {
			t.Errorf("of %d balancers these are duplicates: %q", count, f.duplicates)
		}
	}
	in = cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{Beside: &cloud.Observed{ID: "ours-1"}}}
	if f := d.choose(object.BulkList{Balancers: all}, in); f.lb == nil || f.lb.ID != "ours-2" || len(f.duplicates) > 0 {
		t.Errorf("beside ours-1: %+v", f)
	}
	all = append(all, object.Balancer{ID: "a-restored-cluster's", Tags: d.OwnershipTags.WantedOwnershipTags(twin)})
	if f := d.choose(object.BulkList{Balancers: all}, in); f.lb == nil || f.lb.ID != "ours-2" || len(f.duplicates) > 0 {
		t.Errorf("beside ours-1 and one of a restored cluster: %+v", f)
	}
	if f := d.choose(object.BulkList{Balancers: all[:3]}, in); f.lb != nil {
		t.Errorf("beside ours-1 %s is found by name", f.lb.ID)
	}
}

// TestTwoOfOneName: of two balancers that only the name proves, neither is the Service's. Whatever else proves one ends that.
func TestTwoOfOneName(t *testing.T) {
	d := unconnected()
	name := d.OwnershipTags.Name(web)
	two := []object.Balancer{{ID: "b", Name: name}, {ID: "a", Name: name, Tags: []string{name}}}
	look := func(id string, more ...object.Balancer) found {
		return d.choose(object.BulkList{Balancers: append(more, two...)}, cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: id}})
	}
	if f := look(""); f.lb == nil || f.lb.ID != "a" || !f.byName || !slices.Equal(f.rivals, []string{"b"}) {
		t.Errorf("by name: %+v", f)
	}
	if f := look("b"); f.lb == nil || f.lb.ID != "b" || f.byName || f.rivals != nil {
		t.Errorf("by id: %+v", f)
	}
	if f := look("", object.Balancer{ID: "c", Tags: d.OwnershipTags.WantedOwnershipTags(web)}); f.lb == nil || f.lb.ID != "c" || f.byName || f.rivals != nil {
		t.Errorf("by tag: %+v", f)
	}
	if f := look("", object.Balancer{ID: "c", Name: name, Tags: d.OwnershipTags.WantedOwnershipTags(twin)}); f.lb == nil || f.lb.ID != "a" || !slices.Equal(f.rivals, []string{"b"}) {
		t.Errorf("beside another cluster's: %+v", f)
	}
}

func TestTagsOfOthersStay(t *testing.T) {
	d := unconnected()
	have := []string{"team", d.OwnershipTags.Tag(shopAPI), d.OwnershipTags.Name(web), "ccm:uid=u-1&cluster=old", ""}
	web := web
	web.Former = "old"
	got := d.OwnershipTags.ReplaceOwnershipTags(have, d.OwnershipTags.WantedOwnershipTags(web), web)
	for _, tag := range []string{"team", d.OwnershipTags.Tag(shopAPI), d.OwnershipTags.Name(web), d.OwnershipTags.Tag(web)} {
		if !slices.Contains(got, tag) {
			t.Errorf("%q lacks %q", got, tag)
		}
	}
	if len(got) != 4 {
		t.Errorf("tags %q", got)
	}
	if left := d.OwnershipTags.ReplaceOwnershipTags(got, nil, web); !slices.Equal(left, []string{"team", d.OwnershipTags.Tag(shopAPI)}) {
		t.Errorf("without ours: %q", left)
	}
}

func TestChildren(t *testing.T) {
	d := unconnected()
	d.OwnershipTags.ClusterName = strings.Repeat("k", 250)
	for _, n := range []int{0, 7, 12} {
		if name := d.OwnershipTags.ChildName("pool", n, web); len(name) > tag.MaxText || !d.OwnershipTags.IsChild("pool", name, web) {
			t.Errorf("%q is no child", name)
		}
	}
	d.OwnershipTags.ClusterName = "kubernetes"
	for _, name := range []string{"", "pool", "pool_", "pool_x_" + d.OwnershipTags.Name(web), "pool_0_" + d.OwnershipTags.Name(shopAPI), "listener_0_" + d.OwnershipTags.Name(web)} {
		if d.OwnershipTags.IsChild("pool", name, web) {
			t.Errorf("%q is a pool of the Service", name)
		}
	}
}

func TestStamps(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(object.StampFormat, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for name, test := range map[string]struct {
		then, now string
		read      time.Time
		want      bool
	}{
		"changed":           {"2026-11-21T10:00:00", "2026-11-21T10:00:09", at("2026-11-21T10:01:00"), false},
		"long unchanged":    {"2026-11-21T10:00:00", "2026-11-21T10:00:00", at("2026-11-21T10:01:00"), true},
		"just changed":      {"2026-11-21T10:00:00", "2026-11-21T10:00:00", at("2026-11-21T10:00:02"), false},
		"never changed":     {"", "", at("2026-11-21T10:01:00"), false},
		"no clock":          {"2026-11-21T10:00:00", "2026-11-21T10:00:00", time.Time{}, false},
		"no stamp at all":   {"soon", "soon", at("2026-11-21T10:01:00"), false},
		"the clock is slow": {"2026-11-21T10:00:00", "2026-11-21T10:00:00", at("2026-11-21T09:00:00"), false},
	} {
		if got := (&object.Snapshot{Read: test.read}).Still(test.then, test.now); got != test.want {
			t.Errorf("%s: still %t", name, got)
		}
	}
	if (*object.Snapshot)(nil).Still("2026-11-21T10:00:00", "2026-11-21T10:00:00") {
		t.Error("nothing was read, and it is still so")
	}
}

// TestClusterOfAnotherName: the name of the cluster is a part of upstream's names, and changes.
func TestClusterOfAnotherName(t *testing.T) {
	old, d := unconnected(), unconnected()
	d.OwnershipTags.ClusterName = "my-cluster"
	in := cloud.Input{Spec: cloud.Spec{Owner: web, Ports: []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80}}}, Known: cloud.Known{ID: "lb"}}
	made := func(tags ...string) *object.Snapshot {
		return &object.Snapshot{LB: object.Balancer{ID: "lb", Name: old.OwnershipTags.Name(web), Tags: tags}, Listeners: []object.Listener{
			{ID: "theirs", Protocol: "TCP", Port: 81, Tags: []string{old.OwnershipTags.Name(shopAPI)}},
			{ID: "ours", Protocol: "TCP", Port: 80, Tags: []string{old.OwnershipTags.Name(web)}},
			{ID: "user's", Protocol: "TCP", Port: 82, Tags: []string{"team"}},
		}}
	}
	for name, s := range map[string]*object.Snapshot{"upstream's": made(old.OwnershipTags.Name(web)), "ours": made(old.OwnershipTags.WantedOwnershipTags(web)...)} {
		if owner.Read(d.Rules, s, in).Tenant || owner.Read(d.Rules, s, in).HasNothing() || !owner.Read(d.Rules, s, in).MayDelete {
			t.Errorf("%s: tenant %t, nothing of ours %t, may be deleted %t", name, owner.Read(d.Rules, s, in).Tenant, owner.Read(d.Rules, s, in).HasNothing(), owner.Read(d.Rules, s, in).MayDelete)
		}
		for i, ours := range []bool{false, true, false} {
			if got := isOurs(owner.Read(d.Rules, s, in), s.Listeners[i]); got != ours {
				t.Errorf("%s: listener %s: ours %t", name, s.Listeners[i].ID, got)
			}
		}
		if tags := d.OwnershipTags.ReplaceOwnershipTags(s.LB.Tags, d.OwnershipTags.WantedOwnershipTags(web), web); !slices.Equal(tags, d.OwnershipTags.WantedOwnershipTags(web)) {
			t.Errorf("%s: tags %q", name, tags)
		}
	}
	if s := made(); !owner.Read(d.Rules, s, in).Tenant {
		t.Error("without a tag nothing says that it is this Service's")
	}
	if s := made(append(thiefOwnershipTags(old), old.OwnershipTags.Name(web))...); d.OwnershipTags.ReadOwners(s.LB.Tags, web).Upstream || owner.Read(d.Rules, s, in).MayDelete {
		t.Error("the balancer of a Service of the same name in another cluster is ours")
	}
}

func isOurs(c owner.Tenancy, l object.Listener) bool {
	return slices.ContainsFunc(c.Ours, func(ours object.Listener) bool { return cmp.Equal(ours, l) })
}

func thiefOwnershipTags(d *Balancers) []string { return d.OwnershipTags.WantedOwnershipTags(thief) }

// TestSharersOfOneBalancer: what another Service has on it stays, also while its tag is not to be
// seen on the balancer.
func TestSharersOfOneBalancer(t *testing.T) {
	d := unconnected()
	in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: "lb"}}
	s := &object.Snapshot{LB: object.Balancer{ID: "lb", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(web)}, Listeners: []object.Listener{{Port: 81, Tags: []string{d.OwnershipTags.Name(shopAPI)}}, {Port: 82}}}
	if isOurs(owner.Read(d.Rules, s, in), s.Listeners[0]) || !isOurs(owner.Read(d.Rules, s, in), s.Listeners[1]) {
		t.Error("a listener with another Service's name is ours, or one without any is not")
	}
	s.LB.Tags = append(s.LB.Tags, d.OwnershipTags.Name(shopAPI))
	if owner.Read(d.Rules, s, in).MayDelete || owner.Read(d.Rules, s, in).HasNothing() {
		t.Error("it may be deleted, or has nothing of ours")
	}
	s.LB.Tags, s.Listeners = []string{d.OwnershipTags.Name(shopAPI)}, s.Listeners[:1]
	if !owner.Read(d.Rules, s, in).HasNothing() {
		t.Error("all that was ours is gone, and still there is something")
	}
}

// TestTenantOfAnUntaggedBalancer: that a balancer has no tag of the Service it was made for proves
// nothing while listeners of somebody else are on it.
func TestTenantOfAnUntaggedBalancer(t *testing.T) {
	d := unconnected()
	in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: "lb"}}
	ours, plain := object.Listener{Port: 80, Tags: []string{d.OwnershipTags.Name(web)}}, object.Listener{Port: 81}
	for name, test := range map[string]struct {
		tags      []string
		listeners []object.Listener
		tenant    bool
	}{
		"with the other's listener": {d.OwnershipTags.WantedOwnershipTags(web), []object.Listener{ours, plain}, true},
		"the last one":              {d.OwnershipTags.WantedOwnershipTags(web), []object.Listener{ours}, false},
		"before it is marked":       {nil, []object.Listener{plain}, true},
	} {
		s := &object.Snapshot{LB: object.Balancer{ID: "lb", Name: d.OwnershipTags.Name(shopAPI), Tags: test.tags}, Listeners: test.listeners}
		if owner.Read(d.Rules, s, in).Tenant != test.tenant || owner.Read(d.Rules, s, in).MayDelete == test.tenant {
			t.Errorf("%s: tenant %t, may be deleted %t", name, owner.Read(d.Rules, s, in).Tenant, owner.Read(d.Rules, s, in).MayDelete)
		}
		if test.tenant && isOurs(owner.Read(d.Rules, s, in), plain) {
			t.Errorf("%s: the other's listener is ours", name)
		}
	}
}

// TestListenerWithAUsersTag: somebody put another tag in the place of ours. The listener's name still
// says whose it is, and it is not in its own way.
func TestListenerWithAUsersTag(t *testing.T) {
	d := unconnected()
	in := specOf(nil)
	in.ID = "lb"
	ours := object.Listener{ID: "ours", Name: "listener_0_" + d.OwnershipTags.Name(web), Protocol: "TCP", Port: 80, Tags: []string{"team"}}
	theirs := object.Listener{ID: "theirs", Name: "listener_0_" + d.OwnershipTags.Name(shopAPI), Protocol: "TCP", Port: 81, Tags: []string{"team"}}
	users := object.Listener{ID: "user's", Name: "mine", Protocol: "TCP", Port: 82, Tags: []string{"team"}}
	claimed := object.Listener{ID: "claimed", Name: "listener_0_" + d.OwnershipTags.Name(web), Protocol: "TCP", Port: 83, Tags: []string{d.OwnershipTags.Name(shopAPI)}}
	for name, lb := range map[string]object.Balancer{
		"its own": {ID: "lb", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(web)},
		"shared":  {ID: "lb", Name: d.OwnershipTags.Name(shopAPI), Tags: append(d.OwnershipTags.WantedOwnershipTags(shopAPI), d.OwnershipTags.WantedOwnershipTags(web)...)},
	} {
		s := &object.Snapshot{LB: lb, Listeners: []object.Listener{ours, theirs, users, claimed}}
		for i, want := range []bool{true, false, false, false} {
			if got := isOurs(owner.Read(d.Rules, s, in), s.Listeners[i]); got != want {
				t.Errorf("%s: listener %s: ours %t", name, s.Listeners[i].ID, got)
			}
		}
		if taken := d.findings(s, in).Taken; !slices.Equal(taken, []string{"tcp/81", "tcp/82", "tcp/83"}) {
			t.Errorf("%s: taken %s", name, taken)
		}
	}
}
