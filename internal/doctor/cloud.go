package doctor

import (
	"context"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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

func cloudFailure(check string, err error) Finding {
	fix := fixes[cloud.FailureOf(err).Class]
	if fix == "" {
		fix = "check the provider's settings: multicloud-ccm providers lists its credentials"
	}
	return Finding{Check: check, Level: Failure, Message: err.Error(), Fix: fix}
}
