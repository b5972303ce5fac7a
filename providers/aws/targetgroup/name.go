package targetgroup

import (
	"crypto/sha1" //nolint:gosec // names upstream gives
	"encoding/hex"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// groupNames are the names a listener's target group may have: upstream's, and one with the
// UID where that is taken, as by the balancer of a Service of the same name that was kept.
func groupNames(clusterID string, l cloud.Listener, us cloud.Owner) []string {
	return []string{groupName(clusterID, us, l), groupName(clusterID+us.UID, us, l)}
}

// groupName returns the name upstream gives to a target group. It depends on what AWS can't change.
func groupName(clusterID string, owner cloud.Owner, l cloud.Listener) string {
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{
		clusterID, owner.Namespace, owner.Name, strconv.Itoa(l.Port), strconv.Itoa(l.TargetPort), string(l.TargetProtocol),
		l.ProviderFields[balancer.FieldTargetType], string(l.Health.Protocol), strconv.Itoa(int(l.Health.Interval / time.Second)),
	} {
		h.Write([]byte(part))
	}
	return tag.Child(owner, hex.EncodeToString(h.Sum(nil)))
}
