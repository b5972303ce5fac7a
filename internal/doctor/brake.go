package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// recorded is the record on the leader's lease as a store that is only read.
type recorded struct{ stored safety.Stored }

// Update implements safety.Store.
func (r recorded) Update(_ context.Context, change func(safety.Stored) (string, error)) error {
	_, err := change(r.stored)
	return err
}

// brake returns the brake as the record says, nil when there is no lease to have one.
func (f *facts) brake() *safety.Brake {
	if f.Cloud == nil || f.lease.value == nil {
		return nil
	}
	a := f.lease.value.Annotations
	brake := safety.NewBrake(f.Manager.Tuning.Brake)
	brake.Keep(recorded{safety.Stored{
		Record: a[safety.AnnotationNodes+f.Cloud.Name], ReleasedBy: a[safety.AnnotationReleasedBy], ReleasedAt: a[safety.AnnotationReleasedAt], Now: f.now,
	}})
	return brake
}

// judgeBrake says whether the deletion brake holds Nodes back.
//
//	missing machines of Nodes that are not Ready   outcome
//	none                                           ok, full or not
//	some, and the window is full                   warning: engaged
//	more than a window holds                       warning: engaged
//	some, fewer                                    ok: they go
func judgeBrake(f *facts) Outcome {
	switch {
	case f.lease.err != nil:
		return cannot(f.lease.err)
	case f.nodesKnown() != nil:
		return cannot(f.nodesKnown())
	case f.lease.value == nil:
		return fine("there is no record of deletions yet")
	}
	initialised, _ := f.mine()
	var missing []string
	for _, node := range initialised {
		if f.sky.lacks(node) != "" && !ready(node) {
			missing = append(missing, node.Name)
		}
	}
	brake := f.brake()
	limit, count := brake.Limit(len(initialised)), safety.Deletions(f.lease.value.Annotations[safety.AnnotationNodes+f.Cloud.Name], f.now, brake.Window())
	counted := fmt.Sprintf("%d of %d deletions in the last %s", count, limit, brake.Window())
	err := brake.Check(context.Background(), len(initialised), "a Node that is asked about")
	held, engaged := errors.AsType[*safety.BrakeError](err)
	evidence := []string{counted, "machines that are missing: " + names(missing)}
	switch {
	case engaged && held.Unreadable:
		return warning("the deletion brake is engaged: its record of deletions cannot be read, and nothing is deleted until "+held.Until.UTC().Format(time.RFC3339), "")
	case engaged && len(missing) > 0:
		return warning(fmt.Sprintf("the deletion brake is engaged: %s kept until %s", plural(len(missing), "Node"), held.Until.UTC().Format(time.RFC3339)), "", evidence...)
	case len(missing) > limit:
		return warning(fmt.Sprintf("the deletion brake is engaged: more machines are missing than the %d that may go together", limit), "", evidence...)
	}
	return fine("%s", counted)
}

// accountChanged returns what is known of the account that had this cluster's machines, when the
// credentials see another one.
func accountChanged(f *facts) bool {
	brake := f.brake()
	if brake == nil || f.sky.accountErr != nil || f.sky.err != nil || brake.Refresh(context.Background()) != nil {
		return false
	}
	account := brake.Account()
	return account != "" && account != safety.AccountHash(f.sky.account.Account+" "+f.sky.account.Region)
}
