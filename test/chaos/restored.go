package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// The ids of the cluster, and of the one that is restored from its backup.
const (
	firstID  = "first"
	secondID = "second"
)

// kinds are Services that differ in what leads to their load balancers.
var kinds = map[string]map[string]string{
	"plain": nil, "named": {"multicloud-ccm.io/name": "shop-front"}, "left": nil, "changed": {"multicloud-ccm.io/name": "shop-back"}, "kept": nil,
}

// borrowed is a cloud that is closed by somebody else.
type borrowed struct{ testcloud.Cloud }

func (borrowed) Close() error { return nil }

// restoredCluster starts a second cluster with the data of the first one: Services of equal UIDs, which record the same load balancers.
// Only --cluster-id differs. Then the second one takes the place of the first.
func restoredCluster(ctx context.Context, a *arena) ([]Result, error) {
	if _, err := a.pool(ctx, 3); err != nil {
		return nil, err
	}
	first, err := a.start(ctx, nil, "--cluster-id="+firstID)
	if err != nil {
		return nil, err
	}
	for name, annotations := range kinds {
		if err := a.service(ctx, here, name, annotations); err != nil {
			return nil, err
		}
	}
	for name := range kinds {
		if _, err := a.served(ctx, name); err != nil {
			return nil, err
		}
	}
	l, err := lab.Start(ctx, lab.Options{
		Binary: a.Binary(), Cloud: borrowed{a.Cloud}, ControlPlane: controlplane.Options{Controllers: controlplane.NoControllers, Copy: a.ControlPlane},
	})
	if err != nil {
		return nil, fmt.Errorf("starting the restored cluster: %w", err)
	}
	defer l.Stop()
	b := &arena{Lab: l, Cloud: a.Cloud, name: a.name + " restored"}
	defer b.stopAll()
	for name := range kinds {
		if err := b.age(ctx, name); err != nil {
			return nil, err
		}
	}
	second, err := b.start(ctx, nil, "--cluster-id="+secondID)
	if err != nil {
		return nil, err
	}
	results, err := apart(ctx, a, b)
	if err != nil {
		return results, err
	}
	first.Kill()
	second.Kill()
	return succeed(ctx, b, results)
}

// apart changes and deletes Services in both clusters.
func apart(ctx context.Context, a, b *arena) ([]Result, error) {
	before := a.balancers()
	for name := range kinds {
		if err := b.port(ctx, name, 8080); err != nil {
			return nil, err
		}
	}
	wait(ctx, 10*time.Second)
	conflicts, err := b.conflicts(ctx)
	if err != nil {
		return nil, err
	}
	done := fmt.Sprintf("%d Services changed in the restored cluster", len(kinds))
	results := []Result{
		holds(done, "load balancers as they were", same(before, a.balancers())),
		count(done, "Services without a conflict that names the cluster and the flag", 0, len(kinds)-conflicts, ""),
	}
	if err := b.remove(ctx, here, "left"); err != nil {
		return results, err
	}
	if err := b.annotate(ctx, "plain", `{"kubernetes.digitalocean.com/load-balancer-id":null}`); err != nil {
		return results, err
	}
	own, err := b.pointsElsewhere(ctx, "plain", before)
	if err != nil {
		return results, fmt.Errorf("a new load balancer for the Service without id: %w", err)
	}
	results = append(results, holds("one deleted, and one without its id there", "load balancers as they were, and a new one", same(before, a.balancers(own))))

	beside := a.balancers()
	if err := errors.Join(a.port(ctx, "changed", 9090), a.remove(ctx, here, "plain"), a.remove(ctx, here, "named"), a.remove(ctx, here, "left")); err != nil {
		return results, err
	}
	changed := a.Cloud.Await(ctx, func(digitalocean.State) bool {
		now := a.balancers() // in the restored cluster, what is gone is made anew
		return now[idOf(before, "shop-front")] == "" && strings.Contains(now[idOf(before, "shop-back")], "9090")
	})
	results = append(results,
		holds("the first cluster changes one and deletes three", "done", changed),
		holds("the first cluster changes one and deletes three", "the restored cluster's as it was", same(map[string]string{own: beside[own]}, map[string]string{own: a.balancers()[own]})),
	)
	return results, b.remove(ctx, here, "plain")
}

// succeed lets the restored cluster take over what is left of the first one, which has ended.
func succeed(ctx context.Context, b *arena, results []Result) ([]Result, error) {
	before := slices.Sorted(maps.Keys(b.balancers()))
	if _, err := b.start(ctx, nil, "--cluster-id="+secondID, "--former-cluster-ids=older,"+firstID); err != nil {
		return results, err
	}
	until, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	taken := b.Cloud.Await(until, func(digitalocean.State) bool {
		now := b.balancers()
		old := slices.ContainsFunc(slices.Collect(maps.Values(now)), func(text string) bool { return strings.Contains(text, "ccm-cluster:"+firstID) })
		return !old && strings.Contains(now[idOf(now, "shop-back")], "8080")
	})
	const done = "the restored cluster with --former-cluster-ids"
	results = append(results, holds(done, "it changes the load balancers, and has its id in their tags", taken))
	gone := without(before, slices.Sorted(maps.Keys(b.balancers())))
	results = append(results, count(done, "load balancers deleted", 0, len(gone), strings.Join(gone, " ")))
	for _, name := range []string{"changed", "kept", "named"} {
		if err := b.remove(ctx, here, name); err != nil {
			return results, err
		}
	}
	left := b.Cloud.State().Balancers
	return append(results, count(done+", which deletes its Services", "load balancers left", 0, len(left), fmt.Sprint(left))), nil
}

// balancers are all load balancers by id, as text, without those.
func (a *arena) balancers(without ...string) map[string]string {
	all := map[string]string{}
	for _, b := range a.Cloud.State().Balancers {
		if text, err := json.Marshal(b); err == nil && !slices.Contains(without, b.ID) {
			all[b.ID] = string(text)
		}
	}
	return all
}

// idOf returns the id of the load balancer with that name.
func idOf(balancers map[string]string, name string) string {
	for id, text := range balancers {
		if strings.Contains(text, `"`+name+`"`) {
			return id
		}
	}
	return ""
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}

func same(before, after map[string]string) error {
	if maps.Equal(before, after) {
		return nil
	}
	return fmt.Errorf("they were %v and are %v", before, after)
}

// port changes the port of a Service.
func (a *arena) port(ctx context.Context, name string, port int) error {
	patch := fmt.Sprintf(`[{"op":"replace","path":"/spec/ports/0/port","value":%d}]`, port)
	_, err := a.Client().CoreV1().Services(here).Patch(ctx, name, types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// age makes what a Service records of the creation of its load balancer an hour old, as it is in a backup. For five minutes an absence that
// contradicts it is no proof.
func (a *arena) age(ctx context.Context, name string) error {
	svc, err := a.Client().CoreV1().Services(here).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	made := creation.Of(svc)
	if made == nil {
		return fmt.Errorf("service %s records no creation", name)
	}
	made.At = made.At.Add(-time.Hour)
	annotations, err := json.Marshal(made.Annotation())
	return errors.Join(err, a.annotate(ctx, name, string(annotations)))
}

func (a *arena) annotate(ctx context.Context, name, annotations string) error {
	_, err := a.Client().CoreV1().Services(here).Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":`+annotations+`}}`), metav1.PatchOptions{})
	return err
}

// conflicts is how many Services have been told of another cluster, and what to do about it.
func (a *arena) conflicts(ctx context.Context) (int, error) {
	events, err := a.Client().CoreV1().Events(here).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	told := map[string]bool{}
	for _, e := range events.Items {
		if e.Reason == "OwnershipConflict" && strings.Contains(e.Message, `"`+firstID+`"`) && strings.Contains(e.Message, "--former-cluster-ids="+firstID) {
			told[e.InvolvedObject.Name] = true
		}
	}
	return len(told), nil
}

// pointsElsewhere waits until a Service has a load balancer that was not there before, and returns its id.
func (a *arena) pointsElsewhere(ctx context.Context, name string, before map[string]string) (id string, err error) {
	_, err = a.WaitService(ctx, here, name, func(svc *corev1.Service) error {
		for _, lb := range a.Cloud.State().Balancers {
			if _, old := before[lb.ID]; svc != nil && !old && pointsAt(svc, []digitalocean.Balancer{lb}) {
				id = lb.ID
				return nil
			}
		}
		return errors.New("its address is of none that is new")
	})
	return id, err
}
