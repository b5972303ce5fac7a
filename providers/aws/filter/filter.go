// Package filter makes the parameters that Describe operations share: filters, and which page.
package filter

import (
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// By asks for objects with one of the values.
func By(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: &name, Values: values}
}

// InVPC finds what is in the VPC of the cluster.
func InVPC(c tag.Cluster) ec2types.Filter { return By("vpc-id", c.VPC) }

// Ours find what has the cluster's tag in its VPC. With the legacy tag they find other clusters' things
// too: see tag.Cluster.Has.
func Ours(c tag.Cluster) []ec2types.Filter {
	keys := []string{tag.ClusterPrefix + c.ID}
	if c.Legacy {
		keys = append(keys, tag.LegacyKey)
	}
	return []ec2types.Filter{By("tag-key", keys...), InVPC(c)}
}
