package targetgroup

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Change collects the resources of target groups in one change of a balancer.
type Change struct {
	*Groups
	cloud.Resources
	Of  cloud.Change
	Set *Set
	// Balancer stands for the balancer.
	Balancer cloud.IDOf
	// Rules are those of security groups that have to be there first.
	Rules []cloud.IDOf
	// machines are the candidates by their balancer.Names, see machine.
	machines map[string]cloud.Target
}

func healthFields(h cloud.Health) cloud.Fields {
	return cloud.FieldsOf(
		fieldCheckProtocol.Is(h.Protocol), fieldCheckPort.Is(healthPortText(h)), fieldCheckPath.Is(h.Path),
		fieldInterval.Is(h.Interval), fieldTimeout.Is(h.Timeout), fieldHealthy.Is(h.Healthy), fieldUnhealthy.Is(h.Unhealthy),
	)
}

func healthPortText(h cloud.Health) string {
	if h.Port == 0 {
		return option.TrafficPort
	}
	return strconv.Itoa(h.Port)
}

// attributesOf are the attributes of the target group of a listener.
func attributesOf(l cloud.Listener) (fields cloud.Fields) {
	for attribute, field := range groupAttributes {
		fields = fields.With(attribute.Is(l.ProviderFields[field]))
	}
	return fields
}

// presentGroup is a target group that is there. It is a part of the balancer that it needs.
func presentGroup(g Group, needs ...cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindTargetGroup, Key: g.Ref().Key, ID: aws.ToString(g.TargetGroupArn), Needs: needs}
}

// addTargets adds what is registered with a target group, and what has to be.
func (c *Change) addTargets(g Group, targetType string) {
	add := func(to *[]cloud.Resource, id string) {
		key := id + " in " + aws.ToString(g.TargetGroupName)
		*to = append(*to, cloud.Resource{Kind: kindTarget, Key: key, Machine: c.machineOf(id, targetType), Native: nativeTarget.Seal(target(id)), Fields: cloud.FieldsOf(fieldTargets.Is(cloud.To(g.Ref())))})
	}
	for _, id := range g.Targets {
		add(&c.Present, id)
	}
	for _, id := range c.wantedTargets(g.Targets, targetType) {
		add(&c.Wanted, id)
	}
}

// target is one of a target group: the id of an instance, or an address.
type target string

var nativeTarget cloud.NativeOf[target]

// machineOf returns the machine of a target, as in Balancer.Targets.
func (c *Change) machineOf(id, targetType string) cloud.InstanceID {
	unknown := cloud.InstanceID(id)
	if targetType != option.TargetInstance {
		unknown = cloud.UnknownInstance(id)
	}
	return cmp.Or(c.machine(id).InstanceID, unknown)
}

// machine returns the candidate with that id or address, the first of several.
func (c *Change) machine(name string) cloud.Target {
	if c.machines == nil {
		c.machines = map[string]cloud.Target{}
		for _, one := range slices.Backward(c.Of.Input.Candidates) {
			for _, name := range balancer.Names(one) {
				c.machines[name] = one
			}
		}
	}
	return c.machines[name]
}

// wantedTargets are what a target group shall have, sorted: ids of instances, or addresses. What
// is registered under any address of a machine stays; else it is the first private IPv4 one.
func (c *Change) wantedTargets(present []string, targetType string) []string {
	registered := map[string]bool{}
	for _, id := range present {
		registered[id] = true
	}
	var wanted []string
	for _, id := range c.Of.After.Targets {
		target := id.Address() // or the id
		if !id.Unknown() && targetType != option.TargetInstance {
			target = addressOf(c.machine(string(id)), registered)
		}
		if target != "" {
			wanted = append(wanted, target)
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

func addressOf(machine cloud.Target, registered map[string]bool) (first string) {
	for _, a := range machine.Addresses {
		if registered[a.Address] {
			return a.Address
		}
		if a.Type == cloud.AddressInternalIP && !strings.Contains(a.Address, ":") {
			first = cmp.Or(first, a.Address)
		}
	}
	return first
}
