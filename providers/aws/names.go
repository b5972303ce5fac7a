package aws

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
)

// classicDescription is how the descriptions of classic balancers' own security groups begin.
const classicDescription = "Security group for Kubernetes ELB "

// classicGroup returns name and description of a classic balancer's own security group.
func classicGroup(balancer string, owner cloud.Owner) (name, description string) {
	return "k8s-elb-" + balancer, fmt.Sprintf("%s%s (%s)", classicDescription, balancer, owner)
}

// networkGroup returns name and description of a network balancer's own security group.
func networkGroup(clusterName string, owner cloud.Owner) (name, description string) {
	sum := sha256.Sum256([]byte(clusterName + owner.Name + owner.Namespace + owner.UID))
	return names.Child(owner, hex.EncodeToString(sum[:])), "[k8s] Managed SecurityGroup for LoadBalancer"
}

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
