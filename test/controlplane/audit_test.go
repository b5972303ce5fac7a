package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func TestAuditCountsWrites(t *testing.T) {
	ctx, name := testContext(t), newName("audited")
	config := shared.AdminConfig()
	config.UserAgent = name + "/1"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	nodes := client.CoreV1().Nodes()
	if _, err := nodes.Create(ctx, NodeOptions{Name: name}.node(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := nodes.Get(ctx, name, metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	writes, err := shared.AuditEvents(AuditFilter{
		UserAgent: name + "/", Verbs: WriteVerbs(), Resource: "nodes",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(writes) != 1 {
		t.Fatalf("%d writes in the audit log, want 1: %+v", len(writes), writes)
	}
	write := writes[0]
	if write.Verb != "create" || write.Object.Name != name || write.Response.Code != 201 {
		t.Errorf("got %+v, want the creation of the node", write)
	}
	if !strings.Contains(string(write.RequestObject), UninitializedTaint) {
		t.Errorf("request body %s, want the node in it", write.RequestObject)
	}
}

func TestAuditShowsAWatchOnce(t *testing.T) {
	ctx, name := testContext(t), newName("watches")
	config := shared.AdminConfig()
	config.UserAgent = name + "/1"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := client.CoordinationV1().Leases("kube-system").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	filter := AuditFilter{UserAgent: name + "/", Verbs: []string{"watch"}, Resource: "leases.coordination.k8s.io"}
	stageIs := func(stage string) {
		t.Helper()
		err := Eventually(ctx, func(context.Context) error {
			events, err := shared.AuditEvents(filter)
			if err != nil {
				return err
			}
			if len(events) != 1 || events[0].Stage != stage {
				return fmt.Errorf("got %+v, want one event in stage %s", events, stage)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	stageIs("ResponseStarted")
	watcher.Stop()
	stageIs("ResponseComplete")
}

func TestAuditFilter(t *testing.T) {
	status := &AuditEvent{Verb: "patch", UserAgent: "ccm/v1 node-controller"}
	status.User.Username = "system:serviceaccount:kube-system:ccm"
	status.Object.Resource, status.Object.Subresource = "nodes", "status"
	lease := &AuditEvent{Verb: "update"}
	lease.Object.APIGroup, lease.Object.Resource = "coordination.k8s.io", "leases"
	for _, test := range []struct {
		filter AuditFilter
		event  *AuditEvent
		want   bool
	}{
		{AuditFilter{}, status, true},
		{AuditFilter{Resource: "nodes"}, status, false},
		{AuditFilter{Resource: "nodes/status"}, status, true},
		{AuditFilter{Resource: "nodes/*"}, status, true},
		{AuditFilter{Resource: "leases"}, lease, false},
		{AuditFilter{Resource: "leases.coordination.k8s.io"}, lease, true},
		{AuditFilter{UserAgent: "node-controller", Verbs: WriteVerbs()}, status, true},
		{AuditFilter{User: "ccm"}, status, false},
		{AuditFilter{Verbs: []string{"get"}}, status, false},
		{AuditFilter{Since: time.Now()}, status, false},
	} {
		if got := test.filter.Match(test.event); got != test.want {
			t.Errorf("%+v matches %+v: %v, want %v", test.filter, *test.event, got, test.want)
		}
	}
}
