package tag

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
)

// ByID reads the tags of objects, so many in one request. What is not there has none.
func ByID(ids []string, batch int, read func([]string) (map[string]map[string]string, error)) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for part := range slices.Chunk(ids, batch) {
		err := failure.Halves(part, failure.IsGone, func(part []string) error {
			tags, err := read(part)
			maps.Copy(all, tags)
			return err
		}, func(string, error) {})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// InVPC finds what is in the VPC.
func (c Cluster) InVPC() ec2types.Filter { return filter.By("vpc-id", c.VPC) }

// Of returns tags by key.
func Of(tags []ec2types.Tag) map[string]string {
	m := map[string]string{}
	for _, tag := range tags {
		m[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return m
}

// List returns tags as EC2 takes them, sorted by key.
func List(tags map[string]string) []ec2types.Tag {
	return ListOf(tags, func(key, value *string) ec2types.Tag { return ec2types.Tag{Key: key, Value: value} })
}

// ListOf returns tags as an API takes them, sorted by key.
func ListOf[T any](tags map[string]string, form func(key, value *string) T) []T {
	var list []T
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, form(new(key), new(tags[key])))
	}
	return list
}

// Filters find what has the cluster's tag in the VPC. With the legacy tag they find other
// clusters' things too: see Has.
func (c Cluster) Filters() []ec2types.Filter { return []ec2types.Filter{c.Filter(), c.InVPC()} }

// Filter finds what has the cluster's tag, or the legacy one, in any VPC.
func (c Cluster) Filter() ec2types.Filter {
	keys := []string{ClusterPrefix + c.ID}
	if c.Legacy {
		keys = append(keys, LegacyKey)
	}
	return filter.By("tag-key", keys...)
}

// Names of children are upstream's, byte by byte: what it made is found again by them.

var notAlphanumeric = regexp.MustCompile("[^a-zA-Z0-9]")

// Child is the form of names of what belongs to a Service: k8s-<namespace>-<name>-<hash>.
func Child(owner cloud.Owner, digest string) string { return Children(owner) + digest[:10] }

// Children is how the names of what belongs to a Service begin.
func Children(owner cloud.Owner) string {
	short := func(text string) string {
		text = notAlphanumeric.ReplaceAllString(text, "")
		return text[:min(len(text), 8)]
	}
	return anyChild + short(owner.Namespace) + "-" + short(owner.Name) + "-"
}

// IsChild reports whether a name is one of Child's form.
func IsChild(name string) bool { return strings.HasPrefix(name, anyChild) }

const anyChild = "k8s-"

// OwnGroup stands for the balancer's own security group, which may have to be made.
const OwnGroup = "own"
