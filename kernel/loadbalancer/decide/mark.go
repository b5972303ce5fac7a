package decide

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// marksCanWait reports whether the marks that are missing are written with the next change and
// not now, so that taking over what an upstream CCM made costs no write.
//
//	name holds the UID  has our marks  differs besides  marks
//	no                  -              -                now: they alone tell others whose it is
//	yes                 some           -                now: somebody removed some
//	yes                 none           something        with that
//	yes                 none           nothing          wait: no other Service may take that name
func marksCanWait(observed cloud.Observed, operations []cloud.Operation) bool {
	marked := observed.Owner.Namespace != "" || observed.Owner.Name != ""
	return observed.Named && !marked && len(operations) == 1 && operations[0].Field == cloud.FieldOwnershipTags
}
