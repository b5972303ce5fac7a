package lab

import "testing"

func TestRaceReports(t *testing.T) {
	const (
		theirs = "WARNING: DATA RACE\nRead at 0x1 by goroutine 1:\n  k8s.io/cloud-provider/controllers/service.(*serviceCache).allServices()\n\nPrevious write at 0x1 by goroutine 2:\n  k8s.io/cloud-provider/controllers/service.(*Controller).syncLoadBalancerIfNeeded()\n"
		dial   = "WARNING: DATA RACE\nRead at 0x1 by main goroutine:\n  k8s.io/client-go/transport.(*debuggingRoundTripper).RoundTrip()\n\nPrevious write at 0x1 by goroutine 2:\n  k8s.io/client-go/transport.(*debuggingRoundTripper).RoundTrip.func4()\n"
		serve  = "WARNING: DATA RACE\nRead at 0x1 by goroutine 231:\n  crypto/tls.(*Config).Clone()\n  k8s.io/apiserver/pkg/server/dynamiccertificates.(*DynamicServingCertificateController).syncCerts()\n\nPrevious write at 0x1 by main goroutine:\n  k8s.io/apiserver/pkg/server.(*SecureServingInfo).tlsConfig()\n"
		http2  = "WARNING: DATA RACE\nWrite at 0x1 by main goroutine:\n  golang.org/x/net/http2.configureServer()\n  k8s.io/apiserver/pkg/server.(*SecureServingInfo).Serve()\n\nPrevious read at 0x1 by goroutine 232:\n  crypto/tls.(*Config).Clone()\n  k8s.io/apiserver/pkg/server/dynamiccertificates.(*DynamicServingCertificateController).syncCerts()\n"
		clone  = "WARNING: DATA RACE\nRead at 0x1 by goroutine 231:\n  crypto/tls.(*Config).Clone()\n\nPrevious write at 0x1 by main goroutine:\n  github.com/multicloud-ccm/multicloud-ccm/kernel/transport.New()\n"
		mixed  = "WARNING: DATA RACE\nRead at 0x1 by main goroutine:\n  k8s.io/client-go/transport.(*debuggingRoundTripper).RoundTrip()\n\nPrevious write at 0x1 by goroutine 2:\n  k8s.io/cloud-provider/controllers/service.(*serviceCache).allServices()\n"
		ours   = "WARNING: DATA RACE\nRead at 0x1 by goroutine 1:\n  k8s.io/cloud-provider/controllers/service.(*serviceCache).allServices()\n\nPrevious write at 0x1 by goroutine 2:\n  github.com/multicloud-ccm/multicloud-ccm/kernel/framework.(*serviceView).add()\n"
		line   = "\n==================\n"
	)
	for log, want := range map[string]bool{
		"no race": false, line + theirs + line: false, line + dial + line: false, line + serve + line: false, line + http2 + line: false, line + clone + line: true, line + mixed + line: true, line + ours + line: true, line + theirs + line + ours: true,
	} {
		if err := RaceReports(log); (err != nil) != want {
			t.Errorf("%q: %v", log, err)
		}
	}
}
