package request

import (
	"net/netip"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// A replacement that has begun is on the Service with the fingerprint of its request. It goes on after an upgrade, so that the fingerprint of the same
// request has to stay. A field that is added to cloud.Spec or cloud.Known changes it unless it is left out while it is empty.
func TestFingerprintsThatWereWritten(t *testing.T) {
	full := cloud.Input{
		Spec: cloud.Spec{
			Owner:        cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "u-1", Cloud: "sim"},
			Ports:        []cloud.Port{{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080, AppProtocol: "http"}},
			SourceRanges: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Local: true, HealthPort: 10256,
			DualStack: true, IPv6: true, ClientIP: true, LoadBalancerIP: "192.0.2.1", Options: map[string]string{"size": "2"},
		},
		Environment: cloud.Environment{Candidates: []cloud.Target{{InstanceID: "1", NodeName: "a"}}},
		Known:       cloud.Known{ID: "lb-1", Refused: []string{"lb-2"}, Preserved: map[string]string{"type": "y"}},
	}
	for want, in := range map[string]cloud.Input{
		"90e365530e0b155f01f99d1e18d7d6c79cf237e5eab0a9fe94ca6a9be51bf366": {},
		"050efc58a8e76e38c2a3b7cc03f86c83941637a571fb00ba2e255d720cca165f": full,
	} {
		if got := fingerprintOf(in, &run.Cloud{}); got != want {
			t.Errorf("the fingerprint of %+v is %s, and was %s", in, got, want)
		}
	}
}
