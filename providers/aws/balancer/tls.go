package balancer

import (
	"cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// DefaultTLSPolicy is what AWS gives to listeners of both kinds that terminate TLS and name no
// policy (CreateListener, SslPolicy; Elastic Load Balancing guide, "Predefined SSL security
// policies for Classic Load Balancers").
const DefaultTLSPolicy = PredefinedPolicy + "2016-08"

// PredefinedPolicy is how the names of AWS's own policies begin.
const PredefinedPolicy = "ELBSecurityPolicy-"

// TLSPolicy is the policy that a Service asks for.
func TLSPolicy(spec cloud.Spec) string {
	return cmp.Or(option.TLSPolicy.In(spec.Options), DefaultTLSPolicy)
}
