package tag

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
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
