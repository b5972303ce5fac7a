package instance

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

const (
	// labelTagged is the label of upstream's tagging controller.
	labelTagged = "k8s.io/cloud-provider-aws"
	// taggedInstances and taggedVolumes are the values of --resources. Volumes are those that are
	// deleted with their instance: what a CSI driver attaches is not the Node's.
	taggedInstances = "instance"
	taggedVolumes   = "volume"
	// tagWrites is the most resources one CreateTags and DeleteTags take.
	tagWrites = 1000
)

// TagLabel implements cloud.Tagger.
func (m *Machines) TagLabel() string { return labelTagged }

// TagResources implements cloud.Tagger.
func (m *Machines) TagResources() []string { return []string{taggedInstances, taggedVolumes} }

// Taggable implements cloud.Tagger: of a machine of Fargate there is nothing to tag.
func (m *Machines) Taggable(id cloud.InstanceID) bool { return !onFargate(id) }

// Tag implements cloud.Tagger.
func (m *Machines) Tag(ctx context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) ([]cloud.InstanceID, error) {
	wanted, missing, err := m.resources(ctx, ids, resources)
	if err != nil {
		return nil, err
	}
	gone, err := m.eachBatch(wanted, func(batch []string) error {
		_, err := m.Client.CreateTags(ctx, &ec2.CreateTagsInput{Resources: batch, Tags: tag.List(tags)})
		return err
	})
	for _, id := range gone {
		if slices.Contains(ids, cloud.InstanceID(id)) {
			missing = append(missing, cloud.InstanceID(id))
		}
	}
	return missing, failure.Wrap(err, fmt.Sprintf("tagging %d resources", len(wanted)))
}

// Untag implements cloud.Tagger. EC2 leaves tags alone whose value is another one.
func (m *Machines) Untag(ctx context.Context, ids []cloud.InstanceID, resources []string, tags map[string]string) error {
	tagged, _, err := m.resources(ctx, ids, resources)
	if err != nil {
		return err
	}
	_, err = m.eachBatch(tagged, func(batch []string) error {
		_, err := m.Client.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: batch, Tags: tag.List(tags)})
		return err
	})
	return failure.Wrap(err, fmt.Sprintf("untagging %d resources", len(tagged)))
}

// resources are the ids of what is to be tagged. Instances are looked at only for their volumes;
// those that do not exist are missing.
func (m *Machines) resources(ctx context.Context, ids []cloud.InstanceID, kinds []string) (wanted []string, missing []cloud.InstanceID, err error) {
	names := make([]string, len(ids))
	for n, id := range ids {
		names[n] = string(id)
	}
	if !slices.Contains(kinds, taggedVolumes) {
		return names, nil, nil
	}
	exists := map[string]bool{}
	found, err := m.Read(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	for _, instance := range found {
		exists[aws.ToString(instance.InstanceId)] = true
		for _, device := range instance.BlockDeviceMappings {
			if device.Ebs != nil && aws.ToBool(device.Ebs.DeleteOnTermination) && aws.ToString(device.Ebs.VolumeId) != "" {
				wanted = append(wanted, *device.Ebs.VolumeId)
			}
		}
	}
	for _, name := range names {
		switch {
		case !exists[name]:
			missing = append(missing, cloud.InstanceID(name))
		case slices.Contains(kinds, taggedInstances):
			wanted = append(wanted, name)
		}
	}
	return wanted, missing, nil
}

// eachBatch writes all and returns what does not exist.
func (m *Machines) eachBatch(resources []string, write func(batch []string) error) (gone []string, err error) {
	missing := func(err error) bool {
		return failure.Is(err, "InvalidInstanceID.NotFound", "InvalidInstanceID.Malformed", "InvalidVolume.NotFound", "InvalidID")
	}
	err = failure.Batches(resources, tagWrites, missing, write, func(one string, _ error) { gone = append(gone, one) })
	return gone, err
}
