package digitalocean_test

import (
	"slices"
	"testing"

	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// restoredLab is a cluster beside another one that was restored from the same backup: its Service has the same UID, and so
// its balancer, which is older, has the same name and the same tag of the Service.
func restoredLab(t *testing.T) (l *lab, ours, theirs string) {
	t.Helper()
	l = newLab(t, 1, nil, nil)
	l.ensure()
	first := l.balancer()
	copied := emulator.Balancer{Name: first.Name, Type: first.Type, Region: first.Region, Tags: slices.Clone(first.Tags), ForwardingRules: first.ForwardingRules}
	second := l.server.LoadBalancers.Add(copied)
	ours, theirs = first.ID, second
	if theirs > ours { // the smaller id would win between two of one cluster
		ours, theirs = theirs, ours
	}
	l.must(l.server.LoadBalancers.Edit(theirs, func(b *emulator.Balancer) {
		b.Tags = []string{"ccm-cluster:other", "ccm-service:shop:web:" + uid}
	}))
	l.input.ID = ""
	return l, ours, theirs
}

// TestRestoredClusterHasItsOwn: the id is not recorded yet, and both balancers have the name.
func TestRestoredClusterHasItsOwn(t *testing.T) {
	l, ours, theirs := restoredLab(t)
	o := l.observe()
	if o.ID != ours || slices.Contains(o.Duplicates, theirs) {
		t.Errorf("found %s with the duplicates %v, want %s alone; %s is the other cluster's", o.ID, o.Duplicates, ours, theirs)
	}
}

// TestRestoredClusterReplaces: what a restored Service records of a replacement is the other cluster's.
func TestRestoredClusterReplaces(t *testing.T) {
	l, ours, theirs := restoredLab(t)
	serves := l.observe()
	serves.ID = "00000000-0000-4000-8000-00000000ffff"
	l.input.Beside, l.input.ID = &serves, theirs
	if o := l.observe(); o.ID != ours {
		t.Errorf("found %q of %+v beside, want %s", o.ID, o.Owner, ours)
	}
}
