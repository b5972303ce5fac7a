package digitalocean_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

const (
	list   = "GET /v2/load_balancers"
	read   = "GET /v2/load_balancers/{id}"
	create = "POST /v2/load_balancers"
	put    = "PUT /v2/load_balancers/{id}"
	add    = "POST /v2/load_balancers/{id}/droplets"
	remove = "DELETE /v2/load_balancers/{id}/droplets"
)

func wantRequests(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: requests (-want +got):\n%s", what, diff)
	}
}

// TestRequests checks what each change costs.
func TestRequests(t *testing.T) {
	l := newLab(t, 3, nil, nil)
	nodes := l.input.Candidates
	l.input.Candidates = nodes[:2]
	wantRequests(t, "create", l.ensure(), list, create)
	wantRequests(t, "nothing changed", l.ensure(), read)
	l.input.Candidates = nodes
	wantRequests(t, "a node joins", l.ensure(), read, add)
	l.input.Candidates = nodes[2:]
	wantRequests(t, "two nodes leave", l.ensure(), read, remove)
	l.input.Candidates = nodes[:1]
	wantRequests(t, "one for another", l.ensure(), read, add, remove)
	l.input.Candidates, l.input.Ports = nodes, l.input.Ports[:1]
	wantRequests(t, "nodes and ports", l.ensure(), read, put)
	l.input.Candidates = nil
	wantRequests(t, "no node is left", l.ensure(), read, remove)
	if ids := l.balancer().DropletIDs; len(ids) != 0 {
		t.Errorf("droplets = %v", ids)
	}
}

func TestUnmanagedFieldsSurvive(t *testing.T) {
	l := newLab(t, 2, nil, map[string]string{"type": "REGIONAL"})
	l.ensure()
	l.edit(func(b *emulator.Balancer) {
		b.SizeUnit, b.TLSCipherPolicy, b.ProjectID = 4, "STRONG", "5ee0a1f2-0000-4000-8000-000000000001"
		b.Tags = append(b.Tags, "team:shop")
	})
	wantRequests(t, "changed by hand where nothing is managed", l.ensure(), read)
	before := l.balancer()
	l.input.Ports = l.input.Ports[:1]
	l.ensure()
	after := l.balancer()
	if len(after.ForwardingRules) != 1 {
		t.Errorf("rules = %+v, want one", after.ForwardingRules)
	}
	after.ForwardingRules = before.ForwardingRules
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("besides its rules the balancer changed (-before +after):\n%s", diff)
	}
}

// TestTakeover starts from what the upstream CCM leaves behind.
func TestTakeover(t *testing.T) {
	for name, edit := range map[string]func(*lab, *emulator.Balancer){
		"recorded":             func(l *lab, b *emulator.Balancer) { l.input.ID = b.ID },
		"found by its name":    func(*lab, *emulator.Balancer) {},
		"tagged":               func(_ *lab, b *emulator.Balancer) { b.Tags = []string{"k8s:prod-1"} },
		"tagged in other case": func(_ *lab, b *emulator.Balancer) { b.Tags = []string{"K8S:Prod-1"} },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 2, map[string]string{"DO_CLUSTER_ID": "prod-1"}, map[string]string{"type": "REGIONAL"})
			l.ensure()
			l.edit(func(b *emulator.Balancer) { b.Tags = nil })
			l.input.ID = ""
			before := l.balancer()
			l.edit(func(b *emulator.Balancer) { edit(l, b) })
			if o := l.observe(); !o.Found || o.Owner.UID != uid {
				t.Fatalf("found %t, owner %+v; want our UID", o.Found, o.Owner)
			}
			if slices.Contains(l.ensure(), put) {
				t.Error("only marks were missing, but there was a PUT")
			}
			after := l.balancer()
			if after.ID != before.ID || after.IP != before.IP || after.Name != legacyName {
				t.Errorf("it was %s %s, and now is %s %s %s", before.ID, before.IP, after.ID, after.IP, after.Name)
			}
		})
	}
}

func TestFoundByName(t *testing.T) {
	tests := []struct {
		name   string
		edit   func(*emulator.Balancer)
		byName bool
		want   cloud.Owner
		absent bool
	}{
		{name: "without tags", byName: true},
		{name: "of another cluster's upstream CCM", edit: func(b *emulator.Balancer) { b.Tags = []string{"k8s:other"} }, byName: true, want: cloud.Owner{Cluster: "other"}},
		{name: "of this cluster's upstream CCM", edit: func(b *emulator.Balancer) { b.Tags = []string{"k8s:prod-1"} }, byName: true, want: cloud.Owner{Cluster: "prod"}},
		{name: "ours", edit: func(b *emulator.Balancer) { b.Tags = []string{"ccm-service:shop:web:" + uid} }, want: cloud.Owner{Namespace: "shop", Name: "web", UID: uid}},
		{name: "in another region", edit: func(b *emulator.Balancer) { b.Region = &emulator.Region{Slug: "ams3"} }, absent: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, 0, map[string]string{"DO_CLUSTER_ID": "prod-1"}, map[string]string{"name": "shop-front"})
			b := emulator.Balancer{Name: "shop-front", Type: emulator.TypeRegional, IP: "203.0.113.1"}
			if test.edit != nil {
				test.edit(&b)
			}
			l.server.LoadBalancers.Add(b)
			o := l.observe()
			if o.Found == test.absent {
				t.Fatalf("found = %t", o.Found)
			}
			if o.ByName != test.byName {
				t.Errorf("by name = %t", o.ByName)
			}
			if diff := cmp.Diff(test.want, o.Owner); diff != "" {
				t.Errorf("owner (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRefusedSettings keeps targets up to date although the API refuses the rest.
func TestRefusedSettings(t *testing.T) {
	l := newLab(t, 3, nil, map[string]string{"type": "REGIONAL"})
	nodes := l.input.Candidates
	l.input.Candidates = nodes[:2]
	l.ensure()
	l.input.Candidates = nodes[1:]
	l.annotate(map[string]string{"type": "REGIONAL", "size-unit": "3"})
	l.server.AddFault(fault.Fault{Method: http.MethodPut, Status: http.StatusUnprocessableEntity, Body: `{"message": "the load balancer can be resized once per hour"}`})
	progress, err := l.balancers().Apply(t.Context(), l.change())
	if class := l.driver.Classify(err).Class; class != cloud.FailureQuota {
		t.Errorf("error = %v, class %q", err, class)
	}
	want := []cloud.InstanceID{nodes[1].InstanceID, nodes[2].InstanceID}
	if diff := cmp.Diff(want, l.observe().Balancer.Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, progress.Observed.Balancer.Targets); diff != "" {
		t.Errorf("targets Apply learnt of (-want +got):\n%s", diff)
	}
}

// TestTargetsGivenByTag come under the Service's control.
func TestTargetsGivenByTag(t *testing.T) {
	l := newLab(t, 2, nil, nil)
	l.ensure()
	l.server.Tags.Add("pool")
	l.edit(func(b *emulator.Balancer) { b.Tag, b.DropletIDs = "pool", nil })
	wantRequests(t, "ensure", l.ensure(), read, put)
	if b := l.balancer(); b.Tag != "" || len(b.DropletIDs) != 2 {
		t.Errorf("tag %q, droplets %v", b.Tag, b.DropletIDs)
	}
}

// TestTargetsGivenByTagOnly is what happens while the annotations are not valid: only targets
// are asked for, and they can't be added beside a tag.
func TestTargetsGivenByTagOnly(t *testing.T) {
	l := newLab(t, 2, nil, nil)
	l.ensure()
	l.server.Tags.Add("pool")
	l.edit(func(b *emulator.Balancer) { b.Tag, b.DropletIDs = "pool", nil })
	before := l.observe()
	after := before.Balancer.Clone()
	var operations []cloud.Operation
	for _, c := range l.input.Candidates {
		after.Targets = append(after.Targets, c.InstanceID)
		operations = append(operations, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindTarget, Key: string(c.InstanceID)})
	}
	_, err := l.balancers().Apply(t.Context(), cloud.Change{Input: l.input, Before: before, After: &after, Operations: operations})
	l.must(err)
	if b := l.balancer(); b.Tag != "" || len(b.DropletIDs) != 2 {
		t.Errorf("tag %q, droplets %v", b.Tag, b.DropletIDs)
	}
}

func TestTypeOfAnExistingBalancerStays(t *testing.T) {
	l := newLab(t, 1, map[string]string{"DEFAULT_LB_TYPE": "REGIONAL"}, nil)
	l.ensure()
	l.driver = connect(t, l.url, nil)
	wantRequests(t, "another default", l.ensure(), read)
	if b := l.balancer(); b.Type != emulator.TypeRegional {
		t.Errorf("type = %s", b.Type)
	}
	l.annotate(map[string]string{"type": "REGIONAL_NETWORK"})
	frozen := slices.ContainsFunc(l.change().Operations, func(op cloud.Operation) bool {
		return op.Field == "type" && op.Before == "REGIONAL" && op.After == "REGIONAL_NETWORK"
	})
	if !frozen {
		t.Errorf("operations = %+v, want a change of the type", l.change().Operations)
	}
	l.input.Preserved = map[string]string{"type": "REGIONAL"}
	if left := l.change().Operations; len(left) != 0 {
		t.Errorf("with the type pinned there is still %+v", left)
	}
}

func TestStates(t *testing.T) {
	l := newLab(t, 1, nil, map[string]string{"type": "REGIONAL", "enable-proxy-protocol": "true"})
	progress, err := l.balancers().Apply(t.Context(), l.change())
	l.must(err)
	if !progress.Pending || progress.Observed.State != cloud.BalancerPending || len(progress.Observed.Addresses) != 0 {
		t.Errorf("progress of a creation = %+v", progress)
	}
	l.server.LoadBalancers.Activate()
	o := l.observe()
	if o.State != cloud.BalancerActive || len(o.Addresses) == 0 || !o.Addresses[0].Proxy {
		t.Errorf("state %s, addresses %+v; want active and behind a proxy", o.State, o.Addresses)
	}
	l.edit(func(b *emulator.Balancer) { b.Status = emulator.BalancerErrored })
	if o := l.observe(); o.State != cloud.BalancerFailed || o.Detail == "" {
		t.Errorf("state %s, detail %q", o.State, o.Detail)
	}
}

// TestIDThatIsNone must not lead to another kind of object.
func TestIDThatIsNone(t *testing.T) {
	l := newLab(t, 1, nil, nil)
	l.input.ID = "../droplets/" + string(l.input.Candidates[0].InstanceID)
	l.server.ResetTraffic()
	if l.observe().Found {
		t.Error("found")
	}
	wantRequests(t, "observe", l.requests(), list)
	l.server.ResetTraffic()
	_, err := l.balancers().Apply(t.Context(), cloud.Change{Input: l.input, Before: cloud.Observed{Found: true, ID: l.input.ID}})
	l.must(err)
	if got := l.requests(); len(got) != 0 {
		t.Errorf("requests = %v", got)
	}
}

func TestDeletionRemovesTheUniqueTag(t *testing.T) {
	l := newLab(t, 1, nil, nil)
	l.ensure()
	l.server.Tags.Add("ccm-service:shop:web:other")
	_, err := l.balancers().Apply(t.Context(), cloud.Change{Input: l.input, Before: l.observe()})
	l.must(err)
	tags := l.server.State().Tags
	if slices.Contains(tags, "ccm-service:shop:web:"+uid) || !slices.Contains(tags, "ccm-service:shop:web:other") {
		t.Errorf("tags = %v", tags)
	}
}

// TestDeletionKeepsTagsOfOthers: a second balancer of the Service has the same tag, and so has that of a cluster which
// was restored from the same backup.
func TestDeletionKeepsTagsOfOthers(t *testing.T) {
	l := newLab(t, 1, nil, nil)
	l.ensure()
	const theirs = "ccm-service:shop:web:" + uid
	other := l.server.LoadBalancers.Add(emulator.Balancer{Name: "other", Type: emulator.TypeRegional, Tags: []string{theirs, "ccm-cluster:other"}})
	_, err := l.balancers().Apply(t.Context(), cloud.Change{Input: l.input, Before: l.observe()})
	l.must(err)
	if b := l.balancer(); b.ID != other || !slices.Contains(b.Tags, theirs) {
		t.Errorf("balancer %s is left with the tags %v", b.ID, b.Tags)
	}
}

// TestDeletionOfListedBalancers: a list of all says whether another one has the tag.
func TestDeletionOfListedBalancers(t *testing.T) {
	for _, shared := range []bool{false, true} {
		l := newLab(t, 1, nil, map[string]string{"name": "shop-front"})
		l.ensure()
		if shared {
			l.server.LoadBalancers.Add(emulator.Balancer{Name: "other", Type: emulator.TypeRegional, Tags: []string{"ccm-service:shop:web:" + uid}})
		}
		list, err := l.driver.Balancers.BulkLister.ListBalancers(t.Context())
		l.must(err)
		before, err := list.Observe(t.Context(), l.input)
		l.must(err)
		l.server.ResetTraffic()
		_, err = l.balancers().Apply(t.Context(), cloud.Change{Input: l.input, Before: before})
		l.must(err)
		want := []string{"DELETE /v2/load_balancers/{id}", "DELETE /v2/tags/{name}"}
		if shared {
			want = []string{"GET /v2/tags/{name}", "DELETE /v2/load_balancers/{id}"}
		}
		wantRequests(t, "deletion", l.requests(), want...)
	}
}

// TestTaggingCosts: a tag that cannot be there yet is made first; those of the cluster are found.
func TestTaggingCosts(t *testing.T) {
	const makeTag, tag, getTag = "POST /v2/tags", "POST /v2/tags/{name}/resources", "GET /v2/tags/{name}"
	l := newLab(t, 1, nil, map[string]string{"name": "shop-front"})
	l.ensure()
	l.edit(func(b *emulator.Balancer) { b.Tags = nil })
	wantRequests(t, "marking", l.ensure(), read, tag, tag, makeTag, tag) // cloud, cluster, Service
	before := l.observe()
	l.server.ResetTraffic()
	_, err := l.balancers().Apply(t.Context(), cloud.Change{Input: l.input, Before: before})
	l.must(err)
	wantRequests(t, "deletion", l.requests(), getTag, "DELETE /v2/load_balancers/{id}", "DELETE /v2/tags/{name}")
}
