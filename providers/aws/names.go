package aws

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
)

// targetGroupShape is what the name of a target group depends on: AWS can't change it.
type targetGroupShape struct {
	port, nodePort int
	protocol       cloud.Protocol
	targetType     string
	healthProtocol cloud.Protocol
	healthInterval time.Duration
}

// targetGroupName returns the name upstream gives to a target group.
func targetGroupName(clusterID string, owner cloud.Owner, s targetGroupShape) string {
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{
		clusterID, owner.Namespace, owner.Name, strconv.Itoa(s.port), strconv.Itoa(s.nodePort), string(s.protocol),
		s.targetType, string(s.healthProtocol), strconv.Itoa(int(s.healthInterval / time.Second)),
	} {
		h.Write([]byte(part))
	}
	return names.Child(owner, hex.EncodeToString(h.Sum(nil)))
}
