package tag

import (
	"context"
	"maps"
	"slices"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// ByID reads the tags of objects, so many in one request. What is not there has none.
func ByID(ids []string, batch int, read func([]string) (map[string]map[string]string, error)) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	err := failure.Batches(ids, batch, failure.IsGone, func(some []string) error {
		tags, err := read(some)
		maps.Copy(all, tags)
		return err
	}, func(string, error) {})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// NativeIDs are the ids of the objects that tags belong to.
var NativeIDs cloud.NativeOf[[]string]

// Kind is the kind of the tags of a balancer and of what belongs to it, of which NativeIDs has the ids. Tags without value are
// removed.
func Kind(name string, write func(ctx context.Context, ids []string, add map[string]string, remove []string) error) cloud.ResourceKind {
	return cloud.ResourceKind{Name: name, Update: func(ctx context.Context, _, wanted cloud.Resource, keys []string) error {
		ids := NativeIDs.Open(wanted.Native)
		add, remove := map[string]string{}, []string{}
		for _, key := range keys {
			if value := field(key).Of(wanted); value != nil {
				add[key] = *value
			} else {
				remove = append(remove, key)
			}
		}
		return write(ctx, ids, add, remove)
	}}
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
