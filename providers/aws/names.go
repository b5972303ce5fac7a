package aws

import (
	"crypto/sha1" //nolint:gosec // a part of upstream's names, not a secret
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Names are upstream's, byte by byte: what it made is found again by them.

// maxName is the longest name of a balancer or target group (CreateLoadBalancer, Name).
const maxName = 32

// defaultName returns the name of the balancer of the Service with this UID. Of its 32
// hexadecimal digits 31 are in it, so that it is as good as the UID itself.
func defaultName(uid string) string {
	name := "a" + strings.ReplaceAll(uid, "-", "")
	return name[:min(len(name), maxName)]
}

// classicDescription is how the descriptions of classic balancers' own security groups begin.
const classicDescription = "Security group for Kubernetes ELB "

// classicGroup returns name and description of a classic balancer's own security group.
func classicGroup(balancer string, owner cloud.Owner) (name, description string) {
	return "k8s-elb-" + balancer, fmt.Sprintf("%s%s (%s)", classicDescription, balancer, owner)
}

// networkGroup returns name and description of a network balancer's own security group.
func networkGroup(clusterName string, owner cloud.Owner) (name, description string) {
	sum := sha256.Sum256([]byte(clusterName + owner.Name + owner.Namespace + owner.UID))
	return childName(owner, hex.EncodeToString(sum[:])), "[k8s] Managed SecurityGroup for LoadBalancer"
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
	return childName(owner, hex.EncodeToString(h.Sum(nil)))
}

var notAlphanumeric = regexp.MustCompile("[^a-zA-Z0-9]")

// childName is the form of names of what belongs to a Service: k8s-<namespace>-<name>-<hash>.
func childName(owner cloud.Owner, digest string) string {
	short := func(text string) string {
		text = notAlphanumeric.ReplaceAllString(text, "")
		return text[:min(len(text), 8)]
	}
	return "k8s-" + short(owner.Namespace) + "-" + short(owner.Name) + "-" + digest[:10]
}
