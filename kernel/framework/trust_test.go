package framework

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// deserted is an account without any balancer.
type deserted struct {
	bare
	cloud.Balancers
	account string
}

func (d *deserted) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{Account: d.account}, nil
}

func (d *deserted) Observe(context.Context, cloud.Input) (cloud.Observed, error) {
	return cloud.Observed{}, nil
}

// "Does not exist" drops the finalizer, so it is not said with the credentials of another account.
func TestAbsenceOfBalancersNeedsTheSameAccount(t *testing.T) {
	d := &deserted{account: "ours"}
	c := newCloud(t, d)
	leaving := service("web", func(svc *corev1.Service) { svc.DeletionTimestamp = new(metav1.Now()) })
	if _, exists, err := c.balancers.Get(t.Context(), leaving); !exists || err != nil {
		t.Fatalf("Get() = %v, %v", exists, err)
	}
	if err := c.balancers.Delete(t.Context(), leaving); err != nil {
		t.Fatal(err)
	}
	d.account = "theirs"
	if err := c.balancers.Delete(t.Context(), leaving); err == nil {
		t.Error("Delete() without error")
	}
}
