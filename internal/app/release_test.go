package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

func TestReleaseBrake(t *testing.T) {
	ready := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "up"}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
	}}
	server := fake.NewClientset(
		&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm", Annotations: map[string]string{
			"else": "stays", safety.AnnotationNodes + "sim": record(1), safety.AnnotationNodes + "aws": record(2), safety.AnnotationRoutes + "aws": record(4),
		}}},
		&ready, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "down"}},
	)
	server.PrependReactor("create", "selfsubjectreviews", func(clienttesting.Action) (bool, runtime.Object, error) {
		review := &authenticationv1.SelfSubjectReview{}
		review.Status.UserInfo.Username = "jane@example.com"
		return true, review, nil
	})
	conflicts := 2 // renewals of the lease come in between
	server.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		if conflicts--; conflicts >= 0 {
			return true, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), "ccm", errors.New("changed"))
		}
		return false, nil, nil
	})
	var out strings.Builder
	r := &release{leaseNamespace: "kube-system", leaseName: "ccm"}
	if err := r.release(t.Context(), server, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Released by jane@example.com at ", "lease kube-system/ccm", "not counted any more: 3", "Nodes that are not Ready now: 1.", ": down"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
	lease, err := server.CoordinationV1().Leases("kube-system").Get(t.Context(), "ccm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, lease.Annotations[safety.AnnotationReleasedAt])
	if err != nil || time.Since(at) > time.Minute || lease.Annotations[safety.AnnotationReleasedBy] != "jane@example.com" || lease.Annotations["else"] != "stays" {
		t.Errorf("annotations %v", lease.Annotations)
	}
	r.leaseName = "another"
	if err := r.release(t.Context(), server, &out); err == nil || !strings.Contains(err.Error(), "kube-system/another") {
		t.Errorf("without a lease: %v", err)
	}
}

// record is one of so many deletions a moment ago.
func record(count int) string {
	return fmt.Sprintf(`{"version":1,"deletions":[{"at":%d,"of":40,"keys":"%s"}]}`, time.Now().Unix(), strings.Repeat("12345678", count))
}
