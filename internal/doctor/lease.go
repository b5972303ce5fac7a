package doctor

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const leaderCheck = "leader"

func (o Options) lease(ctx context.Context, now time.Time) Finding {
	lease, err := o.Client.CoordinationV1().Leases(o.LeaseNamespace).Get(ctx, o.LeaseName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Finding{
			Check: leaderCheck, Level: Failure, Message: fmt.Sprintf("lease %s/%s does not exist: no controller manager has led yet", o.LeaseNamespace, o.LeaseName),
			Fix: "see whether its pod runs: kubectl -n " + o.LeaseNamespace + " get pods -o wide",
		}
	case err != nil:
		return unreadable("the leader's lease", err)
	}
	return judgeLease(lease, now)
}

func judgeLease(lease *coordinationv1.Lease, now time.Time) Finding {
	holder := ptr.Deref(lease.Spec.HolderIdentity, "")
	renewed := ptr.Deref(lease.Spec.RenewTime, metav1.MicroTime{})
	age := now.Sub(renewed.Time).Round(time.Second)
	valid := time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second
	if holder == "" && renewed.IsZero() {
		return Finding{
			Check: leaderCheck, Level: Warning,
			Message: fmt.Sprintf("lease %s/%s has had no holder: there has been no election yet, or --leader-elect=false", lease.Namespace, lease.Name),
			Fix:     "without an election only one controller manager may run: set --leader-elect=true",
		}
	}
	if holder == "" || age > valid {
		return Finding{
			Check: leaderCheck, Level: Failure, Message: fmt.Sprintf("nobody leads: lease %s/%s was renewed %s ago", lease.Namespace, lease.Name, age),
			Fix: "see why the controller manager does not run: kubectl -n " + lease.Namespace + " describe pods",
		}
	}
	return Finding{Check: leaderCheck, Level: OK, Message: holder + " leads"}
}
