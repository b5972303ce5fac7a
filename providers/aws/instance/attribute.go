package instance

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Groups are the ids of the security groups that any of the candidates has, sorted.
func Groups(candidates []cloud.Target) []string {
	var ids []string
	for _, c := range candidates {
		if list := c.Attributes[attributeGroups]; list != "" {
			ids = append(ids, strings.Split(list, ",")...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Attributes of machines, see cloud.Instance.Attributes.
const (
	attributeGroups  = "groups"  // ids of its security groups, sorted, with commas
	AttributeVPC     = "vpc"     // id
	attributeSubnet  = "subnet"  // id
	AttributeTagged  = "tagged"  // "true" when it has the cluster's tag
	AttributeFargate = "fargate" // "true" for one of AWS Fargate
)

// attributeYes is the value of attributes that are there or not.
const attributeYes = "true"
