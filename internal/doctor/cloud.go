package doctor

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// fixes are what to do about a cloud that does not answer as it should.
var fixes = map[cloud.Class]string{
	cloud.FailureUnauthorized: "the cloud refuses the credentials: renew them, and check their rights",
	cloud.FailureThrottled:    "the account's rate limit is used up: find out which other program uses it",
	cloud.FailureTransient:    "the cloud can't be reached: check DNS, proxy and firewall from where this runs",
}

// machines reads the cloud. The list is nil unless it is complete: others prove nothing absent.
func (o Options) machines(ctx context.Context) (map[cloud.InstanceID]bool, []Finding) {
	identity, err := o.Cloud.Driver.Identity(ctx)
	if err != nil {
		return nil, []Finding{cloudFailure("credentials", err)}
	}
	findings := []Finding{{
		Check: "credentials", Level: OK, Message: fmt.Sprintf("%s account %s, region %s", o.Cloud.Name, identity.Account, identity.Region),
	}}
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

// mostReads bounds the direct reads of machines that a list lacks.
const mostReads = 20

// absent returns the Nodes, by name, whose machine the cloud has not: a list proves nothing
// absent, so each machine it lacks is read. With any doubt a machine counts as there.
func (o Options) absent(ctx context.Context, nodes []*corev1.Node, listed map[cloud.InstanceID]bool) map[string]bool {
	absent := map[string]bool{}
	reads := 0
	for _, node := range nodes {
		id, err := o.Cloud.Driver.Instances().ParseProviderID(node.Spec.ProviderID)
		if listed == nil || err != nil || listed[id] || instance.Owner(node, o.Cloud.Descriptor.ProviderIDSchemes) != instance.Mine {
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

func cloudFailure(check string, err error) Finding {
	fix := fixes[cloud.FailureOf(err).Class]
	if fix == "" {
		fix = "check the provider's settings: `cloud-controller-manager providers` lists its credentials"
	}
	return Finding{Check: check, Level: Failure, Message: err.Error(), Fix: fix}
}
