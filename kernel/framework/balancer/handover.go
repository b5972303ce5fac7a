package balancer

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

// Prove implements [view.Follower].
func (a *Adapter) Prove(svc *corev1.Service) { a.proofs.begin(svc) }

// Released implements [view.Follower].
func (a *Adapter) Released(uid types.UID) { a.proofs.forget(uid) }

// Holds implements [view.Follower].
func (a *Adapter) Holds(uid types.UID) bool { return a.proofs.holds(uid) }

func (a *Adapter) holds(ctx context.Context, svc *corev1.Service) (bool, error) {
	return drain.Track(ctx, a.Drain, cloud.PriorityDeletion, func(ctx context.Context) (bool, error) { return a.Manager.Holds(ctx, svc) })
}

// Withdraw implements [view.Follower].
func (a *Adapter) Withdraw(svc *corev1.Service) {
	a.withdrawals.in(0, svc.UID, func() { a.withdraw(svc, 0) })
}

// withdraw takes our address out of the status of a Service that another controller serves. An ensure that did not know of the
// other one may write it at any time.
func (a *Adapter) withdraw(svc *corev1.Service, failures int) {
	theirs := a.Services.HandedOver(svc)
	if theirs == nil || !handover.Published(theirs) {
		return
	}
	err := drain.Do(context.Background(), a.Drain, cloud.PriorityDeletion, func(ctx context.Context) error { return a.annotator.withdraw(ctx, theirs) })
	if err != nil && !errors.Is(err, drain.ErrStopping) {
		klog.ErrorS(err, "The address of a load balancer is still in the status of another controller's Service", "service", klog.KObj(svc))
		a.withdrawals.in(retryAfter(failures), svc.UID, func() { a.withdraw(svc, failures+1) })
	}
}
