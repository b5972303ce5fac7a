package inspect

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Deletions are counted in the window that is configured, which explain names beside them.
func TestDeletionsInTheWindow(t *testing.T) {
	record := fmt.Sprintf(`{"version":1,"deletions":[{"at":%d,"of":9,"keys":"12345678"}]}`, time.Now().Add(-3*time.Minute).Unix())
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{safety.AnnotationNodes + "sim": record}}}
	for window, want := range map[time.Duration]string{time.Minute: "0 deleted in 1 min,", time.Hour: "1 deleted in 60 min,"} {
		i := &Inspector{cloud: &run.Cloud{Name: "sim"}, cluster: Cluster{Lease: lease}}
		i.tuning.Brake = safety.DefaultBrake()
		i.tuning.Brake.Window = window
		var e Explanation
		i.explainDeletion(&e, &corev1.Node{}, existence{exists: true})
		var text strings.Builder
		if err := e.Text(&text, layout.Page{}); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("window %v: want %q, error %v:\n%s", window, want, err, &text)
		}
	}
}

// Where nothing is done about Services the service account may not read them.
func TestServicesAreReadWhereTheyCount(t *testing.T) {
	for name, test := range map[string]struct {
		cloud       run.Cloud
		controllers string
		reads       bool
	}{
		"neither":          {run.Cloud{}, "*", false},
		"balancers":        {run.Cloud{Balancers: noBalancers{}}, "*", true},
		"firewall":         {run.Cloud{Firewalls: firewalls{}}, "*", true},
		"no service loop":  {run.Cloud{Balancers: noBalancers{}}, "route", false},
		"no firewall loop": {run.Cloud{Firewalls: firewalls{}}, "route", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker"}})
			server.PrependReactor("list", "services", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, apierrors.NewForbidden(corev1.Resource("services"), "", errors.New("no"))
			})
			enabled, err := controller.Enabled([]string{test.controllers})
			if err != nil {
				t.Fatal(err)
			}
			read, err := Read(t.Context(), server, NeedsServices(&test.cloud, enabled), types.NamespacedName{Namespace: "kube-system", Name: "ccm"})
			if apierrors.IsForbidden(err) != test.reads {
				t.Errorf("error %v, Services are read: want %v", err, test.reads)
			}
			if !test.reads && read.Node("worker") == nil {
				t.Errorf("read %+v", read)
			}
		})
	}
}

type noBalancers struct{ cloud.Balancers }

type firewalls struct{ cloud.Firewalls }
