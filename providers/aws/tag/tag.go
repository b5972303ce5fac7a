// Package tag says by tags what belongs to the cluster, and to which Service.
package tag

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Held is on a network balancer that was there before this CCM. It lists the parts that stay as
// they were found, each with a digest of what the Service asked for then: "targetType=1f2e3d4c".
const Held = "multicloud-ccm.io/as-found"

// Timed is on a network balancer of which listeners were given an idle timeout. Without it, and without
// the annotation, nobody asks for theirs.
const Timed = "multicloud-ccm.io/idle-timeout"

// Tags upstream writes.
const (
	serviceKey    = "kubernetes.io/service-name" // namespace/name
	ClusterPrefix = "kubernetes.io/cluster/"     // and the cluster's id
	LegacyKey     = "KubernetesCluster"          // the cluster's id, before there were others
	Owned         = "owned"
)

// Controller is the tag by which the AWS Load Balancer Controller finds what it has made; its other
// tags begin with controllerPrefixes.
const Controller = "elbv2.k8s.aws/cluster"

var controllerPrefixes = []string{"elbv2.k8s.aws/", "service.k8s.aws/", "ingress.k8s.aws/"}

// Tags of our own.
const (
	// Ownership tags are the tags of an owner beside upstream's.
	OwnershipTags = cloud.OwnershipLabels("multicloud-ccm.io/owner-")
	// recordKey lists the keys of additional tags, with "=" between them, so that they can be
	// removed when they are not wanted any more.
	recordKey = "multicloud-ccm.io/additional-tags"
)

// Cluster is a Kubernetes cluster as AWS knows it.
type Cluster struct {
	// ID is the id in the tags; legacy says that KubernetesCluster=<id> is one too.
	ID     string
	Legacy bool
	// VPC is where its machines, balancers and routes are.
	VPC string
}

// Has reports whether tags say that the object is used by the cluster.
func (c Cluster) Has(tags map[string]string) bool {
	_, modern := tags[ClusterPrefix+c.ID]
	return modern || tags[LegacyKey] == c.ID
}

// Of returns tags by key.
func Of(tags []ec2types.Tag) map[string]string {
	m := map[string]string{}
	for _, tag := range tags {
		m[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return m
}
