package openstack

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var (
	web   = cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "openstack"}
	api   = cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "api", UID: "u-2", Cloud: "openstack"}
	thief = cloud.Owner{Cluster: "other", Namespace: "shop", Name: "web", UID: "u-3", Cloud: "openstack"}
)

func unconnected() *Driver {
	d := &Driver{services: &services{octavia: apiVersion{2, 26}}, cloud: "openstack", clusterName: "kubernetes"}
	d.config.balancer.maxShared, d.config.balancer.provider = 2, "amphora"
	return d
}

func TestMarks(t *testing.T) {
	d := unconnected()
	long := cloud.Owner{Cluster: strings.Repeat("c", 300), Namespace: strings.Repeat("n", 63), Name: strings.Repeat("s", 63), UID: strings.Repeat("u", 36), Cloud: "openstack"}
	for _, o := range []cloud.Owner{web, {Cluster: "a&b=c %", Namespace: "shop", Name: "web", UID: "u", Cloud: "x y"}} {
		got, ok := readMark(d.mark(o))
		if diff := cmp.Diff(o, got); !ok || diff != "" {
			t.Errorf("%t (-want +got):\n%s", ok, diff)
		}
	}
	if mark := d.mark(long); len(mark) > maxText {
		t.Errorf("%d bytes: %s", len(mark), mark)
	} else if got, ok := readMark(mark); !ok || got.UID != long.UID || got.Cluster != hashed(long.Cluster) {
		t.Errorf("%s is %+v", mark, got)
	}
	for _, tag := range []string{"", "ccm:", "ccm:cluster=prod", "ccm:%", "kube_service_kubernetes_shop_web", "team"} {
		if o, ok := readMark(tag); ok {
			t.Errorf("%q is a mark of %+v", tag, o)
		}
	}
}

func TestOwner(t *testing.T) {
	d := unconnected()
	upstream := func(o cloud.Owner) string { return d.name(o) }
	byID := cloud.Spec{Ref: cloud.Ref{ID: "lb", Owner: web}}
	leaving := byID
	leaving.Leaving = true
	for name, test := range map[string]struct {
		tags []string
		spec cloud.Spec
		want cloud.Owner
	}{
		"ours":                           {d.wantedMarks(web), byID, web},
		"ours and another's":             {append(d.wantedMarks(web), d.wantedMarks(api)...), byID, web},
		"upstream's":                     {[]string{upstream(web)}, byID, cloud.Owner{}},
		"without tags":                   {nil, byID, cloud.Owner{}},
		"shared":                         {d.wantedMarks(api), byID, cloud.Owner{}},
		"shared, not named":              {d.wantedMarks(api), cloud.Spec{Ref: cloud.Ref{Owner: web}}, api},
		"shared, given up":               {d.wantedMarks(api), leaving, api},
		"shared by upstream":             {append(d.wantedMarks(api), upstream(web)), byID, cloud.Owner{}},
		"shared by upstream, given up":   {append(d.wantedMarks(api), upstream(web)), leaving, cloud.Owner{}},
		"shared by upstream, and full":   {append(d.wantedMarks(api), upstream(web), namePrefix+"kubernetes_shop_db"), byID, cloud.Owner{}},
		"full":                           {append(d.wantedMarks(api), d.mark(cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "db", UID: "u-9"})), byID, api},
		"another cluster's":              {d.wantedMarks(thief), byID, thief},
		"another cluster's of that name": {append(d.wantedMarks(thief), upstream(web)), byID, thief},
	} {
		lb := &balancer{ID: "lb", Name: d.name(web), Tags: test.tags}
		if diff := cmp.Diff(test.want, d.owner(lb, test.spec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := d.owner(&balancer{ID: "lb", Name: legacyName("u-1")}, byID); got != web {
		t.Errorf("the name holds the UID, but the owner is %+v", got)
	}
}

func TestPick(t *testing.T) {
	d := unconnected()
	all := []balancer{
		{ID: "gone", Name: d.name(web), Provisioning: statusDeleted},
		{ID: "thief's", Name: d.name(web), Tags: d.wantedMarks(thief)},
		{ID: "upstream's", Name: d.name(web), Tags: []string{d.name(web)}},
		{ID: "ours", Name: "renamed", Tags: d.wantedMarks(web)},
	}
	for count, want := range map[int]string{1: "", 2: "", 3: "upstream's", 4: "ours"} {
		lb, byName := d.pick(all[:count], web)
		got := ""
		if lb != nil {
			got = lb.ID
		}
		if got != want || byName != (want == "upstream's") {
			t.Errorf("of %d balancers %q, by name %t; want %q", count, got, byName, want)
		}
	}
}

func TestTagsOfOthersStay(t *testing.T) {
	d := unconnected()
	have := []string{"team", d.mark(api), d.name(web), "ccm:uid=u-1&cluster=old", ""}
	got := d.replaceMarks(have, d.wantedMarks(web), web)
	for _, tag := range []string{"team", d.mark(api), d.name(web), d.mark(web)} {
		if !slices.Contains(got, tag) {
			t.Errorf("%q lacks %q", got, tag)
		}
	}
	if len(got) != 4 {
		t.Errorf("tags %q", got)
	}
	if left := d.replaceMarks(got, nil, web); !slices.Equal(left, []string{"team", d.mark(api)}) {
		t.Errorf("without ours: %q", left)
	}
}

func TestChildren(t *testing.T) {
	d := unconnected()
	d.clusterName = strings.Repeat("k", 250)
	for _, n := range []int{0, 7, 12} {
		if name := d.childName("pool", n, web); len(name) > maxText || !d.isChild("pool", name, web) {
			t.Errorf("%q is no child", name)
		}
	}
	d.clusterName = "kubernetes"
	for _, name := range []string{"", "pool", "pool_", "pool_x_" + d.name(web), "pool_0_" + d.name(api), "listener_0_" + d.name(web)} {
		if d.isChild("pool", name, web) {
			t.Errorf("%q is a pool of the Service", name)
		}
	}
}

func TestFloatingIPsOfOthers(t *testing.T) {
	d := unconnected()
	old := "Floating IP for Kubernetes external service shop/web from cluster kubernetes"
	for _, test := range []struct {
		description string
		attached    bool
		want        bool
	}{
		{d.floatingDescription(web), false, true},
		{d.floatingDescription(web), true, true},
		{d.floatingDescription(thief), true, false},
		{old, true, true},
		{old, false, false},
		{"the office", true, false},
		{"", true, false},
	} {
		if got := d.floatingIsOurs(test.description, web, test.attached); got != test.want {
			t.Errorf("%q, attached %t: ours %t", test.description, test.attached, got)
		}
	}
	d.clusterName = strings.Repeat("k", 300)
	if text := d.floatingDescription(web); len(text) > maxText || !d.floatingIsOurs(text, web, false) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

func TestStamps(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(stampFormat, text)
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
		if got := (&snapshot{read: test.read}).still(test.then, test.now); got != test.want {
			t.Errorf("%s: still %t", name, got)
		}
	}
	if (*snapshot)(nil).still("2026-11-21T10:00:00", "2026-11-21T10:00:00") {
		t.Error("nothing was read, and it is still so")
	}
}

// TestClusterOfAnotherName: the name of the cluster is a part of upstream's names, and changes.
func TestClusterOfAnotherName(t *testing.T) {
	old, d := unconnected(), unconnected()
	d.clusterName = "my-cluster"
	spec := cloud.Spec{Ref: cloud.Ref{ID: "lb", Owner: web}, Facts: map[string]string{}, Ports: []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80}}}
	made := func(tags ...string) *snapshot {
		return &snapshot{lb: balancer{ID: "lb", Name: old.name(web), Tags: tags}, listeners: []listener{
			{ID: "theirs", Protocol: "TCP", Port: 81, Tags: []string{old.name(api)}},
			{ID: "ours", Protocol: "TCP", Port: 80, Tags: []string{old.name(web)}},
			{ID: "user's", Protocol: "TCP", Port: 82, Tags: []string{"team"}},
		}}
	}
	for name, s := range map[string]*snapshot{"upstream's": made(old.name(web)), "ours": made(old.wantedMarks(web)...)} {
		if d.isGuest(s, spec) || d.hasNothing(s, spec) || !d.mayDelete(s, spec) {
			t.Errorf("%s: guest %t, nothing of ours %t, may be deleted %t", name, d.isGuest(s, spec), d.hasNothing(s, spec), d.mayDelete(s, spec))
		}
		for i, ours := range []bool{false, true, false} {
			if got := d.isOurs(s, s.listeners[i], spec); got != ours {
				t.Errorf("%s: listener %s: ours %t", name, s.listeners[i].ID, got)
			}
		}
		if tags := d.replaceMarks(s.lb.Tags, d.wantedMarks(web), web); !slices.Equal(tags, d.wantedMarks(web)) {
			t.Errorf("%s: tags %q", name, tags)
		}
	}
	if s := made(); !d.isGuest(s, spec) {
		t.Error("without a tag nothing says that it is this Service's")
	}
	if s := made(append(thiefMarks(old), old.name(web))...); d.readClaims(s.lb.Tags, web).upstream || d.mayDelete(s, spec) {
		t.Error("the balancer of a Service of the same name in another cluster is ours")
	}
}

func thiefMarks(d *Driver) []string { return d.wantedMarks(thief) }

// TestSharersOfOneBalancer: what another Service has on it stays, also while its tag is not to be
// seen on the balancer.
func TestSharersOfOneBalancer(t *testing.T) {
	d := unconnected()
	spec := cloud.Spec{Ref: cloud.Ref{ID: "lb", Owner: web}}
	s := &snapshot{lb: balancer{ID: "lb", Name: d.name(web), Tags: d.wantedMarks(web)}, listeners: []listener{{Port: 81, Tags: []string{d.name(api)}}, {Port: 82}}}
	if d.isOurs(s, s.listeners[0], spec) || !d.isOurs(s, s.listeners[1], spec) {
		t.Error("a listener with another Service's name is ours, or one without any is not")
	}
	s.lb.Tags = append(s.lb.Tags, d.name(api))
	if d.mayDelete(s, spec) || d.hasNothing(s, spec) {
		t.Error("it may be deleted, or has nothing of ours")
	}
	s.lb.Tags, s.listeners = []string{d.name(api)}, s.listeners[:1]
	if !d.hasNothing(s, spec) {
		t.Error("all that was ours is gone, and still there is something")
	}
}

// TestGuestOfAnUntaggedBalancer: that a balancer has no tag of the Service it was made for proves
// nothing while listeners of somebody else are on it.
func TestGuestOfAnUntaggedBalancer(t *testing.T) {
	d := unconnected()
	spec := cloud.Spec{Ref: cloud.Ref{ID: "lb", Owner: web}}
	ours, plain := listener{Port: 80, Tags: []string{d.name(web)}}, listener{Port: 81}
	for name, test := range map[string]struct {
		tags      []string
		listeners []listener
		guest     bool
	}{
		"with the other's listener": {d.wantedMarks(web), []listener{ours, plain}, true},
		"the last one":              {d.wantedMarks(web), []listener{ours}, false},
		"before it is marked":       {nil, []listener{plain}, true},
	} {
		s := &snapshot{lb: balancer{ID: "lb", Name: d.name(api), Tags: test.tags}, listeners: test.listeners}
		if d.isGuest(s, spec) != test.guest || d.mayDelete(s, spec) == test.guest {
			t.Errorf("%s: guest %t, may be deleted %t", name, d.isGuest(s, spec), d.mayDelete(s, spec))
		}
		if test.guest && d.isOurs(s, plain, spec) {
			t.Errorf("%s: the other's listener is ours", name)
		}
	}
}
