package nlb

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// What is here takes from the last look what AWS tells of one balancer, listener or target group in a
// request:
//
//	part                                    is taken from there where
//	attributes of the balancer              it was about this balancer
//	attributes and targets of a             its listener has the same port and protocol, and leads to a
//	 target group                           target group of the same port, protocol and kind
//	certificates besides the default one    the default one is the same
//	idle timeout of a listener              it was known
//	health of targets                       never; while a target group waits for it, nothing is

// known returns what the last look knew of the balancer, nil for nothing. A balancer that goes is read
// itself. A target group that no listener leads to was led to a moment ago, or will be.
func (s *Snapshot) known(spec cloud.Spec) *cloud.Balancer {
	if spec.Last == nil || spec.Deleting || spec.Last.ID != aws.ToString(s.Balancer.LoadBalancerArn) || len(s.Groups.Unused) > 0 {
		return nil
	}
	return &spec.Last.Balancer
}

// recall takes what was known of the listener.
func (l *Listener) recall(known *cloud.Balancer) {
	if known == nil {
		return
	}
	l.was = balancer.Pick(known.Listeners, func(was *cloud.Listener) bool {
		return was.Port == int(aws.ToInt32(l.Port)) && string(was.Protocol) == string(l.Protocol)
	})
	if l.was != nil {
		l.idle = l.was.ProviderFields[balancer.FieldIdleTimeout]
	}
}

// recallCertificates takes the certificates that were known, and reports whether they were.
func (l *Listener) recallCertificates() bool {
	if l.was == nil {
		return false
	}
	arns := certificatesOf(*l.was)
	if len(arns) == 0 || arns[0] != l.certificate() {
		return false
	}
	l.extra = arns[1:]
	return true
}
