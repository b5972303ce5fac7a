package testcloud_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// slow are clouds that are more than an emulator in this process: they are tested where E2E_CLOUD
// names them.
var slow = []string{"aws", "openstack"}

// Every cloud does what the interface says, and what it lacks it says.
func TestClouds(t *testing.T) {
	for _, name := range testcloud.Names() {
		t.Run(name, func(t *testing.T) {
			if slices.Contains(slow, name) && os.Getenv("E2E_CLOUD") != name {
				t.Skipf("E2E_CLOUD=%s runs it", name)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			c, err := testcloud.Open(ctx, name, testcloud.Options{Progress: os.Stderr})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}()
			if c.Facts().Provider != name || c.Title() == "" || len(c.Env())+len(c.Args()) == 0 {
				t.Errorf("%q: %+v, %v, %v", c.Title(), c.Facts(), c.Env(), c.Args())
			}
			if asked := c.Facts().Can(testcloud.API); asked != (c.Secret() != "") || asked != (c.Facts().Page > 0) || asked != (c.Facts().List != "") {
				t.Errorf("there is an API: %t, credentials: %t; %+v", asked, c.Secret() != "", c.Facts())
			}
			machines(ctx, t, c)
			for ability, why := range c.Facts().Lacks {
				if why == "" {
					t.Errorf("it lacks %s and does not say why", ability)
				}
			}
		})
	}
}

// machines makes machines and does with them what can be done.
func machines(ctx context.Context, t *testing.T, c testcloud.Cloud) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := c.Seed(ctx, 2, testcloud.Machine{})
	must(err)
	more, err := c.Seed(ctx, 1, testcloud.Machine{Name: "kept"})
	must(err)
	all = append(all, more...)
	seen := map[string]bool{}
	for _, m := range all {
		if m.ID == "" || m.Name == "" || !strings.Contains(m.ProviderID, "://") || m.Internal == "" || seen[m.ID] || seen[m.Name] {
			t.Errorf("a machine is %+v", m)
		}
		if m.Tells && (m.Node().ProvidedNodeIP != m.Internal || m.Settled().ProvidedNodeIP != m.Internal) {
			t.Errorf("the kubelet of %+v does not tell its address", m)
		}
		seen[m.ID], seen[m.Name] = true, true
	}
	if more[0].Name != "kept" && c.Facts().Can(testcloud.Chosen) {
		t.Errorf("the machine kept is %+v", more[0])
	}
	if c.Facts().Can(testcloud.Rename) {
		must(c.Rename(ctx, all[2], "renamed"))
	}
	must(c.Stop(ctx, all[0]))
	must(c.Remove(ctx, all[1]))
	if err := c.Remove(ctx, all[1]); err == nil && c.Facts().Provider == "sim" {
		t.Error("a machine is removed twice")
	}
	balancers, err := c.Balancers(ctx)
	if err != nil || len(balancers) > 0 {
		t.Errorf("load balancers %+v, %v", balancers, err)
	}
	must(c.Clear(ctx))
	if n := c.Counters().Total; n > 0 {
		t.Errorf("%d requests are counted after Clear", n)
	}
	again, err := c.Seed(ctx, 1, testcloud.Machine{})
	if err != nil || len(again) != 1 {
		t.Errorf("after Clear: %+v, %v", again, err)
	}
}

func TestUnknown(t *testing.T) {
	if err := testcloud.Missing("azure"); err == nil || !strings.Contains(err.Error(), `"azure"`) || !strings.Contains(err.Error(), "CLOUD=gce") {
		t.Errorf("error %v, want one that lists the clouds", err)
	}
	if _, err := testcloud.FactsOf("azure"); err == nil {
		t.Error("it has facts")
	}
}

func TestFactsCount(t *testing.T) {
	plain := testcloud.Facts{Page: 200}
	for n, want := range map[int]int{0: 1, 1: 1, 200: 1, 201: 2, 1000: 5, 5000: 25} {
		if got := plain.Pages(n); got != want {
			t.Errorf("Pages(%d) = %d, want %d", n, got, want)
		}
	}
	unasked := testcloud.Facts{Lacks: map[testcloud.Ability]string{testcloud.API: "there is none"}}
	if unasked.Pages(1000) != 0 || unasked.Listing(1000) != 0 || unasked.Initialising(1000) != 0 || unasked.ListAge(1000) != time.Minute {
		t.Errorf("what nobody is asked for costs %d pages, %d requests", unasked.Pages(1000), unasked.Initialising(1000))
	}
	all := testcloud.Facts{Page: 1000, Trailing: true, Alike: 1, Beside: 1, Details: 100}
	if got := all.Listing(1000); got != 5 {
		t.Errorf("Listing(1000) = %d, want a page and an empty one of two lists, and one beside", got)
	}
	if got := all.Initialising(1000); got != 5+10+10 {
		t.Errorf("Initialising(1000) = %d", got)
	}
}
