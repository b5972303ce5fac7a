package framework

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// empty is a cloud in which every machine is definitely not there, and which counts what it is asked.
// Provider-IDs are "sim://<region>/<id>", and its region is "here".
type empty struct{ asked atomic.Int64 }

var _ cloud.ProviderIDScope = (*empty)(nil)

func (e *empty) Identity(context.Context) (cloud.Identity, error) {
	e.asked.Add(1)
	return cloud.Identity{Account: "a"}, nil
}
func (e *empty) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureUnknown} }
func (e *empty) Instances() cloud.Instances   { return e }

func (e *empty) ParseProviderID(text string) (cloud.InstanceID, error) {
	if id, ok := strings.CutPrefix(text, "sim://here/"); ok {
		return cloud.InstanceID(id), nil
	}
	return "", errors.New("want sim://here/<id>")
}

func (e *empty) Concerns(text string) bool { return strings.HasPrefix(text, "sim://here/") }

func (e *empty) List(context.Context) (cloud.InstanceList, error) {
	e.asked.Add(1)
	return cloud.InstanceList{Complete: true}, nil
}

func (e *empty) Get(context.Context, ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	e.asked.Add(1)
	return nil, nil
}

func (e *empty) FindByName(context.Context, string) ([]cloud.Instance, error) {
	e.asked.Add(1)
	return nil, nil
}

// foreigners returns provider-IDs that are of another region, project or scheme, or of none.
func foreigners() []string {
	random := rand.New(rand.NewPCG(5, 6))
	all := []string{"sim://there/1", "sim://another-project/zone/1", "sim://", "other://here/1", "k3s://web-1", "i-1", "sim:///here/1"}
	for range 40 {
		all = append(all, fmt.Sprintf("sim://%c%d/%d", 'a'+random.IntN(26), random.IntN(100), random.IntN(1000)))
	}
	return all
}

// Nodes of others that are lost for an hour cost neither a request nor a write, and stay; so do those that their own controller
// has not initialised yet. Those of another part of this cloud are told once that they are left alone, and no others.
func TestForeignNodesAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver, balancers, errs := &empty{}, &balancing{}, frameworktest.Logged(t)
		decorated := run.Decorate(cloudtest.Driver(driver), run.Options{Descriptor: cloud.Descriptor{Name: "sim", ProviderIDSchemes: []string{"sim"}}})
		server := runningOn(t, decorated, machinesOf(decorated), balancers)
		svc := service("web")
		svc.ResourceVersion = ""
		if _, err := server.CoreV1().Services("shop").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		all := foreigners()
		for n, providerID := range all {
			lost := node(fmt.Sprintf("n%d", n), providerID, withReady(corev1.ConditionUnknown))
			if n%3 == 0 {
				withTaint(uninitializedTaint)(lost)
			}
			lost.ResourceVersion, lost.CreationTimestamp = "", metav1.NewTime(time.Now().Add(-time.Hour))
			if _, err := server.CoreV1().Nodes().Create(t.Context(), lost, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		settle()
		server.ClearActions()
		time.Sleep(time.Hour)
		synctest.Wait()
		for _, action := range server.Actions() {
			if verb := action.GetVerb(); action.GetResource().Resource == "nodes" && verb != "get" && verb != "list" {
				t.Errorf("%s: %+v", verb, action)
			}
		}
		told, err := server.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
		own := 0
		for _, e := range told.Items {
			if err != nil || e.InvolvedObject.Kind == "Node" && (e.Reason != event.NodeLeftAlone.Name || e.Type != corev1.EventTypeNormal || e.Count > 1 || !strings.Contains(e.Message, " sim://")) {
				t.Errorf("event %s of %s: %s, %v", e.Reason, e.InvolvedObject.Name, e.Message, err)
			}
			if e.InvolvedObject.Kind == "Node" {
				own++
			}
		}
		if foreign := 3; own != len(all)-foreign {
			t.Errorf("%d Nodes were told, want %d", own, len(all)-foreign)
		}
		if asked := driver.asked.Load(); asked > 0 {
			t.Errorf("the cloud was asked %d times", asked)
		}
		nodes, err := server.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		if err != nil || len(nodes.Items) != len(all) {
			t.Errorf("%d of %d nodes are left: %v", len(nodes.Items), len(all), err)
		}
		for _, line := range balancers.Take() {
			if !strings.HasSuffix(line, " 0") {
				t.Errorf("%q: nodes of others are offered as targets", line)
			}
		}
		if logged := errs.Take(); len(logged) > 0 {
			t.Errorf("logged as errors: %q", logged)
		}
	})
}
