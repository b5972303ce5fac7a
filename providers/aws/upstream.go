package aws

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Upstream says what is otherwise here than in AWS's own controller manager.
func Upstream() cloud.Upstream {
	return cloud.Upstream{
		Name:  "aws-cloud-controller-manager",
		Guide: "docs/how-to/migrate-aws.md",
		Differences: []cloud.Difference{
			{
				ID: "aws-as-found", Anchor: "what-upstream-never-read", Service: neverRead,
				Text: "it asks for what upstream never read on a Network Load Balancer that is there: that stays as it is until the Service changes",
			},
			{
				ID: "aws-udp-check", Anchor: "health-checks-of-udp-ports", Service: checksUDP,
				Text: "it has UDP ports: their health check stays upstream's, which nothing answers; that of new ports asks kube-proxy",
			},
			{
				ID: "aws-session-affinity", Anchor: "session-affinity", Service: clientIP,
				Text: "it asks for session affinity, which upstream refuses: a Network Load Balancer has it here, with a Classic one it is refused too",
			},
			{
				ID: "aws-health-timeout", Anchor: "health-checks-of-network-load-balancers", Service: checkTimeout,
				Text: "its time-out of health checks counts; upstream does not send it",
			},
			{
				ID: "aws-tags", Anchor: "tags-that-are-taken-away", Service: tags,
				Text: "a tag that is taken out of its annotation is removed from the load balancer; upstream leaves it",
			},
			{
				ID: "aws-node-name", Anchor: "nodes-that-are-named-like-an-instance", Node: namedLikeInstance,
				Text: "its name begins like the id of an instance and is none: its instance is looked for by private DNS name",
			},
		},
	}
}

func isNetwork(b cloud.Observed) bool {
	return b.Found && b.Balancer.ProviderFields[balancer.FieldType] == balancer.KindNetwork
}

func neverRead(spec cloud.Spec, b cloud.Observed) bool {
	asks := func(key annotation.Key) bool { return key.In(spec.Options) != "" }
	return isNetwork(b) && (option.TargetType.In(spec.Options) == option.TargetIP || spec.DualStack && !b.Balancer.DualStack ||
		slices.ContainsFunc([]annotation.Key{option.Subnets, option.Addresses, option.PrivateAddresses}, asks))
}

func checksUDP(spec cloud.Spec, b cloud.Observed) bool {
	return isNetwork(b) && slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Protocol == cloud.ProtocolUDP })
}

func clientIP(spec cloud.Spec, _ cloud.Observed) bool { return spec.ClientIP }

func checkTimeout(spec cloud.Spec, b cloud.Observed) bool {
	return isNetwork(b) && option.Timeout.In(spec.Options) != ""
}

func tags(spec cloud.Spec, b cloud.Observed) bool {
	return b.Found && option.Tags.In(spec.Options) != ""
}

// namedLikeInstance is of Nodes that were not initialised: the others have a provider-ID.
func namedLikeInstance(name, providerID string, _ cloud.Instance) bool {
	digits, like := strings.CutPrefix(name, "i-")
	return like && providerID == "" && (digits == "" || strings.Trim(digits, "0123456789abcdef") != "")
}
