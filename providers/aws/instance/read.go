// Package instance reads and tags the machines of the cluster: instances of EC2 and machines of
// Fargate.
package instance

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Machines implements cloud.Instances, and what else the kernel asks about machines.
type Machines struct {
	Region  string
	Cluster tag.Cluster
	// Families are the address families of Nodes, "ipv4" and "ipv6", in their order.
	Families []string
	// TopologyPattern matches the instance types whose topology labels are mandatory.
	TopologyPattern *regexp.Regexp
	Client          *ec2.Client
}

const (
	// instancePage is the most instances one DescribeInstances gives, instanceBatch the most it
	// is asked for by id.
	instancePage  = 1000
	instanceBatch = 500
)

// liveStates are the states of instances that exist. Terminated ones are still shown for an hour.
var liveStates = []string{
	string(ec2types.InstanceStateNamePending), string(ec2types.InstanceStateNameRunning), string(ec2types.InstanceStateNameShuttingDown),
	string(ec2types.InstanceStateNameStopping), string(ec2types.InstanceStateNameStopped),
}

// List implements cloud.Instances: the instances of the VPC that have the cluster's tag.
func (m *Machines) List(ctx context.Context) (cloud.InstanceList, error) {
	found, err := m.describe(ctx, m.ours())
	if err != nil {
		return cloud.InstanceList{}, fmt.Errorf("listing instances: %w", err)
	}
	return cloud.InstanceList{Items: m.machines(m.tagged(found)), Complete: true}, nil
}

// Get implements cloud.Instances. It neither looks at tags nor at the VPC, as upstream: a
// provider-ID is enough.
func (m *Machines) Get(ctx context.Context, ids ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	var plain, tasks []string
	for _, id := range ids {
		if onFargate(id) {
			tasks = append(tasks, string(id))
		} else {
			plain = append(plain, string(id))
		}
	}
	found, err := m.Read(ctx, plain)
	if err != nil {
		return nil, err
	}
	machines, err := m.getFargate(ctx, tasks)
	if err != nil {
		return nil, err
	}
	byID := make(map[cloud.InstanceID]cloud.Instance, len(found)+len(machines))
	for _, machine := range append(m.machines(found), machines...) {
		byID[machine.ID] = machine
	}
	return byID, nil
}

// FindByName implements cloud.Instances. A Node has the private DNS name of its instance, or
// one that begins with its id.
func (m *Machines) FindByName(ctx context.Context, name string) ([]cloud.Instance, error) {
	if id := m.NameID(name); id != "" {
		found, err := m.Read(ctx, []string{string(id)})
		return m.machines(found), err
	}
	found, err := m.describe(ctx, append(m.ours(), filter.By("private-dns-name", name)))
	if err != nil {
		return nil, fmt.Errorf("looking for instances by private DNS name: %w", err)
	}
	return m.machines(m.tagged(found)), nil
}

// ours are the filters for the cluster's instances.
func (m *Machines) ours() []ec2types.Filter {
	return append(filter.Ours(m.Cluster), filter.By("instance-state-name", liveStates...))
}

// tagged drops the instances whose legacy tag, for which there is no filter besides that for
// the tag of today, is another cluster's.
func (m *Machines) tagged(found []ec2types.Instance) []ec2types.Instance {
	return slices.DeleteFunc(found, func(i ec2types.Instance) bool { return !m.Cluster.Has(tag.Of(i.Tags)) })
}

// describe reads all pages.
func (m *Machines) describe(ctx context.Context, filters []ec2types.Filter) ([]ec2types.Instance, error) {
	reservations, err := filter.All(func(page *string) (*ec2.DescribeInstancesOutput, error) {
		return m.Client.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: filters, MaxResults: aws.Int32(instancePage), NextToken: page})
	}, func(o *ec2.DescribeInstancesOutput) ([]ec2types.Reservation, *string) {
		return o.Reservations, o.NextToken
	})
	return unpack(reservations), err
}

// Read reads instances by id. What is missing from the result does definitely not exist.
func (m *Machines) Read(ctx context.Context, ids []string) ([]ec2types.Instance, error) {
	return inHalves(ids, instanceBatch, func(ids []string) ([]ec2types.Instance, error) {
		answer, err := m.Client.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: ids})
		if err != nil {
			return nil, fmt.Errorf("reading %d instances: %w", len(ids), err)
		}
		found := unpack(answer.Reservations)
		if answered := distinct(found); answered < len(ids) {
			return nil, fmt.Errorf("reading %d instances, of which %d came: %w", len(ids), answered, cloud.ErrIncomplete)
		}
		return slices.DeleteFunc(found, terminated), nil
	})
}

// inHalves reads something of each instance that EC2 knows, of at most so many in one request. A malformed id is not an
// unknown one: whatever is wrong with it, the Node stays.
func inHalves[T any](ids []string, most int, read func(ids []string) ([]T, error)) (found []T, err error) {
	unknown := func(err error) bool { return failure.Is(err, "InvalidInstanceID.NotFound") }
	err = failure.Batches(ids, most, unknown, func(ids []string) error {
		some, err := read(ids)
		found = append(found, some...)
		return err
	}, func(string, error) {})
	return found, err
}

func terminated(i ec2types.Instance) bool {
	return i.State != nil && i.State.Name == ec2types.InstanceStateNameTerminated
}

func unpack(reservations []ec2types.Reservation) []ec2types.Instance {
	var found []ec2types.Instance
	for _, r := range reservations {
		found = append(found, r.Instances...)
	}
	return found
}

func distinct(found []ec2types.Instance) int {
	ids := map[string]bool{}
	for _, i := range found {
		ids[aws.ToString(i.InstanceId)] = true
	}
	return len(ids)
}
