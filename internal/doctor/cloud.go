package doctor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// machines reads the cloud. The list is nil unless it is complete: others prove nothing absent.
func (o Options) machines(ctx context.Context) (map[cloud.InstanceID]bool, []Finding) {
	findings, ok := o.credentials(ctx)
	if !ok {
		return nil, findings
	}
	list, err := o.Cloud.Driver.Instances().List(ctx)
	switch {
	case err != nil:
		return nil, append(findings, cloudFailure("machines", err))
	case !list.Complete:
		return nil, append(findings, Finding{Check: "machines", Level: Warning, Message: "the cloud's list of machines is incomplete", Fix: "try again later"})
	}
	machines := map[cloud.InstanceID]bool{}
	for _, machine := range list.Items {
		machines[machine.ID] = true
	}
	return machines, append(findings, Finding{Check: "machines", Level: OK, Message: fmt.Sprintf("%d in the cloud", len(machines))})
}

// credentials asks for the account. Credentials may be good for everything but that.
func (o Options) credentials(ctx context.Context) (findings []Finding, ok bool) {
	identity, err := o.Cloud.Driver.Identity(ctx)
	switch {
	case cloud.IsClass(err, cloud.FailureUnauthorized):
		return []Finding{{
			Check: "credentials", Level: Warning, Message: "they may not ask which account they see: " + err.Error(),
			Fix: "give them that permission: without it no Node is deleted, and no load balancer believed to be gone, while no Node is Ready",
		}}, true
	case err != nil:
		return []Finding{cloudFailure("credentials", err)}, false
	}
	message := fmt.Sprintf("%s account %s", o.Cloud.Name, identity.Account)
	if identity.Region != "" { // some accounts are not in one
		message += ", region " + identity.Region
	}
	return []Finding{{Check: "credentials", Level: OK, Message: message}}, true
}

// mostReads bounds the direct reads of machines that a list lacks.
const mostReads = 20

// absent returns the Nodes, by name, whose machine the cloud has not: a list proves nothing
// absent, so each machine it lacks is read. With any doubt a machine counts as there.
func (o Options) absent(ctx context.Context, nodes []*corev1.Node, listed map[cloud.InstanceID]bool) map[string]bool {
	absent := map[string]bool{}
	reads := 0
	for _, node := range nodes {
		id, err := o.Cloud.Driver.Instances().ParseProviderID(node.Spec.ProviderID)
		if listed == nil || err != nil || listed[id] || instance.Owner(node, o.Cloud.Concerns) != instance.Mine {
			continue
		}
		if reads++; reads > mostReads {
			break
		}
		if found, err := o.Cloud.Driver.Instances().Get(ctx, id); err == nil && len(found) == 0 {
			absent[node.Name] = true
		}
	}
	return absent
}

// named returns the machines of Nodes that have neither provider-ID nor taint, by the Node's
// name: where there is exactly one it serves as a target of load balancers.
func (o Options) named(ctx context.Context, nodes []*corev1.Node) map[string]cloud.InstanceID {
	named := map[string]cloud.InstanceID{}
	reads := 0
	for _, node := range nodes {
		if instance.Owner(node, o.Cloud.Concerns) != instance.Unmanaged {
			continue
		}
		if reads++; reads > mostReads {
			break
		}
		if found, err := o.Cloud.Driver.Instances().FindByName(ctx, node.Name); err == nil && len(found) == 1 {
			named[node.Name] = found[0].ID
		}
	}
	return named
}

func cloudFailure(check string, err error) Finding {
	fix := cloud.Advice(err)
	if fix == "" {
		fix = "check the provider's settings: `cloud-controller-manager providers` lists its credentials"
	}
	return Finding{Check: check, Level: Failure, Message: err.Error(), Fix: fix}
}
