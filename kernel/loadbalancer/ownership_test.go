package loadbalancer

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const victimUID = "99999999-2222-4333-8444-555555555555"

// place puts a balancer of that name with those ownership tags into the cloud, with other settings
// than the Service wants.
func (f *fixture) place(id, name string, ownershipTags ...string) *stored {
	if f.driver.balancers == nil {
		f.driver.balancers = map[string]*stored{}
	}
	s := &stored{Balancer: cloud.Balancer{
		Name: name, Scope: cloud.ScopeExternal, OwnershipTags: ownershipTags,
		ProviderFields: map[string]string{"tier": "basic", "algorithm": "random"},
	}}
	f.driver.balancers[id] = s
	return s
}

func TestOwnership(t *testing.T) {
	const foreign, ours, conflict, adopted = "uid=9999", "uid=0123-4567", "OwnershipConflict", "LoadBalancerAdopted"
	const notYours = `: "lb-9" is not possible: there is no load balancer with this id that the Service may use`
	tests := []struct {
		name, policy  string
		balancer      string // name of what is there
		ownershipTags []string
		recorded      string
		adopt         string
		touched       bool
		event, text   string
	}{
		{name: "by name, unmarked", balancer: "web", touched: true, event: adopted},
		{name: "by name, unmarked, policy own", policy: "own", balancer: "web", event: conflict, text: "has this name"},
		{name: "by name, another Service's", balancer: "web", ownershipTags: []string{foreign}, event: conflict, text: "has this name"},
		{name: "by name, another cluster's", balancer: "web", ownershipTags: []string{"cluster=dev"}, event: conflict, text: "has this name"},
		{name: "by name, this cluster's", balancer: "web", ownershipTags: []string{"cluster=prod"}, touched: true, event: adopted},
		{name: "by mark", balancer: "other", ownershipTags: []string{"cluster=prod", ours}, touched: true},
		{name: "by mark, others missing", balancer: "other", ownershipTags: []string{ours}, touched: true},
		{name: "by id, unmarked", balancer: "other", recorded: "lb-9", touched: true, event: adopted},
		{name: "by id, unmarked, policy own", policy: "own", balancer: "other", recorded: "lb-9", event: conflict, text: keyID.Name + notYours},
		{name: "by id, another Service's", balancer: "other", ownershipTags: []string{foreign}, recorded: "lb-9", event: conflict, text: keyID.Name + notYours},
		{name: "by id, another cluster's", balancer: "other", ownershipTags: []string{"cluster=dev"}, recorded: "lb-9", event: conflict, text: keyID.Name + notYours},
		{name: "by id, another UID in its name", balancer: cloud.UIDName(victimUID), recorded: "lb-9", event: conflict, text: keyID.Name + notYours},
		{name: "by id, another Service's, told to", balancer: "other", ownershipTags: []string{foreign}, recorded: "lb-9", adopt: "lb-9", event: conflict, text: notYours},
		{name: "adopted, another Service's", balancer: "other", ownershipTags: []string{foreign}, adopt: "lb-9", event: conflict, text: annotation.Adopt.Name + notYours},
		{name: "adopted, another Service's, policy any", policy: "any", balancer: "other", ownershipTags: []string{foreign}, adopt: "lb-9", touched: true, event: adopted},
		{name: "adopted, another Service's, consent", policy: "lb-9=shop/web", balancer: "other", ownershipTags: []string{foreign}, adopt: "lb-9", touched: true, event: adopted},
		{name: "adopted, another Service's, consent for another", policy: "lb-9=shop/api", balancer: "other", ownershipTags: []string{foreign}, adopt: "lb-9", event: conflict, text: annotation.Adopt.Name + notYours},
		{name: "adopted, unmarked", balancer: "other", adopt: "lb-9", touched: true, event: adopted},
		{name: "adopted id does not exist", balancer: "other", adopt: "lb-9x", event: conflict, text: annotation.Adopt.Name + `: "lb-9x" is not possible: there is no load balancer with this id that the Service may use`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.adopts(test.policy)
			f.place("lb-9", test.balancer, test.ownershipTags...)
			if test.recorded != "" {
				f.svc.Annotations[keyID.Name] = test.recorded
			}
			if test.adopt != "" {
				f.svc.Annotations[annotation.Adopt.Name] = test.adopt
			}
			_, exists, err := f.Get(t.Context(), f.svc)
			if err != nil || exists != test.touched && test.event == conflict {
				t.Errorf("Get() = %v, %v", exists, err)
			}
			f.events.take()
			err = f.ensure()
			if (err == nil) != test.touched {
				t.Fatalf("error %v, want success %v", err, test.touched)
			}
			if !test.touched {
				fails(t, err, test.text)
				f.wrote()
				if len(f.svc.Status.LoadBalancer.Ingress) > 0 {
					t.Errorf("the status is %v", f.svc.Status.LoadBalancer)
				}
			}
			said := strings.Join(f.events.take(), "\n")
			if (said == "") != (test.event == "") || !strings.Contains(said, test.event) || !strings.Contains(said, test.text) {
				t.Errorf("events %q, want %s with %q", said, test.event, test.text)
			}
			if !test.touched {
				return
			}
			if ownershipTags := strings.Join(f.driver.balancers["lb-9"].OwnershipTags, ","); ownershipTags != "cluster=prod,uid=0123-4567" {
				t.Errorf("marks %s", ownershipTags)
			}
			f.driver.writes = nil
			f.settle()
			f.wrote()
			f.said() // adoption is said once
		})
	}
}

// The balancer has the Service's UID and another cluster in its ownership tags: that cluster was restored from the same backup, or this one
// had another id.
func TestBalancerOfAnotherCluster(t *testing.T) {
	for _, name := range []string{"recorded", "by name"} {
		f := newFixture(t)
		f.place("lb-9", "web", "cluster=old", "uid=0123-4567")
		if name == "recorded" {
			f.svc.Annotations[keyID.Name] = "lb-9"
		}
		fails(t, f.ensure(), "lb-9", `cluster "old"`, "--former-cluster-ids=old")
		f.said("OwnershipConflict")
		f.wrote()
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "OwnershipConflict") || !strings.Contains(said, "stays in the cloud") {
			t.Errorf("%s, the deletion: events %q", name, said)
		}
		f.wrote()
		f.only()
		if f.driver.balancers["lb-9"] == nil {
			t.Errorf("%s: the other cluster's balancer was deleted", name)
		}
	}
}

// The other cluster is this one's former id.
func TestFormerCluster(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		f := newFixture(t)
		f.Manager.cluster.Former = "older,old"
		f.place("lb-9", "other", "cluster=old", "uid=0123-4567")
		if leaves {
			if err := f.Delete(t.Context(), f.svc); err != nil {
				t.Fatal(err)
			}
			f.wrote("delete balancer")
			continue
		}
		f.settle()
		if tags := strings.Join(f.driver.balancers["lb-9"].OwnershipTags, ","); tags != "cluster=prod,uid=0123-4567" || len(f.driver.balancers) != 1 {
			t.Errorf("tags %s of %d balancers", tags, len(f.driver.balancers))
		}
		f.said() // nothing was adopted
	}
}

// Two balancers have the name, and nothing else says which is the Service's.
func TestTwoOfOneName(t *testing.T) {
	f := newFixture(t)
	f.driver.rivals = []string{"lb-9"}
	f.place("lb-8", "web")
	f.place("lb-9", "web")
	fails(t, f.ensure(), "lb-8", "lb-9", keyID.Name)
	f.said("OwnershipConflict")
	f.wrote()
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote()
	f.events.take()
	f.svc.Annotations[keyID.Name] = "lb-9"
	f.settle()
	if tags := f.driver.balancers["lb-8"].OwnershipTags; len(tags) > 0 {
		t.Errorf("the other one has the tags %q", tags)
	}
}

func TestForeignBalancerIsNeverDeleted(t *testing.T) {
	f := newFixture(t, annotated(keyID.Name, "lb-9"))
	f.place("lb-9", "web", "uid=9999")
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.said("OwnershipConflict")
	fails(t, f.UpdateTargets(t.Context(), f.svc, f.nodes), "no balancer")
	f.wrote()
	f.only()
}

// The id annotation was changed by hand to somebody else's balancer: ours keeps serving.
func TestWrongIDDoesNotHideOurs(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.restart()
	f.place("lb-9", "other", "uid=9999")
	f.svc.Annotations[keyID.Name] = "lb-9"
	f.nodes = f.nodes[:2]
	fails(t, f.ensure(), "lb-9")
	f.wrote("delete target c")
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote("delete balancer")
	if f.only(); f.driver.balancers["lb-9"] == nil {
		t.Error("the foreign balancer was deleted")
	}
}

func TestSecondAdoptionIsRefused(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.place("lb-9", "other")
	f.svc.Annotations[annotation.Adopt.Name] = "lb-9"
	fails(t, f.ensure(), annotation.Adopt.Name, "lb-1 already", keyID.Name)
	f.wrote()
}

func TestRecordedBalancerThatIsGoneIsCreatedAnew(t *testing.T) {
	f := newFixture(t, annotated(keyID.Name, "lb-8"), annotated(annotation.Adopt.Name, "lb-8"))
	f.settle()
	f.wrote("create balancer")
	if got := f.svc.Annotations[keyID.Name]; got != "lb-1" {
		t.Errorf("recorded %q", got)
	}
}

// The Service was deleted before it could take the balancer over.
func TestWhatWasNeverAdoptedIsNotDeleted(t *testing.T) {
	for _, ownershipTags := range [][]string{{"uid=9999"}, nil} {
		f := newFixture(t, annotated(annotation.Adopt.Name, "lb-9"), annotated(keyTier.Name, "mistyped"))
		f.adopts("lb-9=shop/web")
		f.place("lb-9", "other", ownershipTags...)
		fails(t, f.ensure(), keyTier.Name)
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
		f.only()
		delete(f.svc.Annotations, keyTier.Name)
		f.settle()
		f.driver.writes = nil
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Fatal(err)
		}
		f.wrote("delete balancer")
	}
}

// TestSwitchWritesNothing: what an upstream CCM made under a name with the Service's UID gets its
// ownership tags with the next change and not before. Any other balancer gets them at once.
func TestSwitchWritesNothing(t *testing.T) {
	for name, named := range map[string]bool{"named after the UID": true, "named otherwise": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, annotated(keyID.Name, "lb-1"))
			f.settle()
			b := f.driver.balancers["lb-1"]
			b.OwnershipTags, b.named = nil, named
			f.driver.writes = nil
			f.settle()
			if wrote := len(f.driver.writes); (wrote == 0) != named {
				t.Errorf("%d writes: %q", wrote, f.driver.writes)
			}
			f.svc.Spec.Ports[0].Port++
			f.settle()
			if ownershipTags := strings.Join(f.driver.balancers["lb-1"].OwnershipTags, ","); ownershipTags != "cluster=prod,uid=0123-4567" {
				t.Errorf("marks %q after a change", ownershipTags)
			}
		})
	}
}
