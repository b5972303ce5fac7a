package digitalocean_test

import (
	"strings"
	"testing"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// TestCombinations: values that are right alone and wrong together. All problems are named.
func TestCombinations(t *testing.T) {
	parallel(t)
	for name, test := range map[string]struct {
		annotations map[string]string
		says        []string
	}{
		"cookies without a cookie": {regional("sticky-sessions-type", "cookies"), []string{portable + "session-cookie", portable + "session-cookie-ttl"}},
		"two sizes":                {with("size-slug", "lb-small", "size-unit", "3"), []string{upstream + "size-slug"}},
		"passthrough, certificate": {regional("tls-passthrough", "true", "certificate-id", certificate.ID), []string{upstream + "tls-passthrough", "either a certificate or passthrough"}},
		"TLS without either":       {regional("tls-ports", "443"), []string{"port 443"}},
		"http3 without":            {regional("http3-port", "443"), []string{"http3", "port 443"}},
		"a port in two lists":      {regional("http-ports", "80", "tls-ports", "80", "certificate-id", certificate.ID), []string{`"80"`, upstream + "tls-ports"}},
		"ids that are none":        {with("certificate-id", "web", "subnet-uuid", "not-a-uuid"), []string{`"not-a-uuid" is not possible: want the UUID of a subnet of the VPC, such as`, upstream + "subnet-uuid", upstream + "certificate-id"}},
		"a subnet that is none":    {map[string]string{portable + "subnet": "not-a-uuid"}, []string{portable + `subnet: "not-a-uuid" is not possible: want the UUID of a subnet of the VPC, such as`}},
		"every mistake at once":    {regional("size-slug", "big", "http-idle-timeout-seconds", "1", "algorithm", "best", "sticky-sessions-cookie-ttl", "0"), []string{"size-slug", "http-idle-timeout-seconds", "sticky-sessions-cookie-ttl"}},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			s := create(t, test.annotations)
			s.event("InvalidConfiguration", test.says...)
			s.event("SyncLoadBalancerFailed")
			if own := s.balancersIn(env.Cloud.State()); len(own) > 0 {
				t.Errorf("a balancer was created: %+v", own)
			}
		})
	}
}

// TestUnknownAnnotations are pointed out, with the key that was meant.
func TestUnknownAnnotations(t *testing.T) {
	parallel(t)
	s := create(t, map[string]string{
		upstream + "protocoll": "http", portable + "health-check-intervall": "5", upstream + "http-ports": "8080", upstream + "type": "REGIONAL",
	})
	s.event("ConfigurationIgnored", upstream+"protocoll", "did you mean "+upstream+"protocol?")
	s.event("ConfigurationIgnored", portable+"health-check-intervall", "did you mean "+portable+"health-check-interval?")
	s.event("ConfigurationIgnored", upstream+"http-ports", "no TCP port 8080")
	s.balancer(func(b *do.Balancer) error { return same(rules(b), plain) })
}

// sends waits for a request of the Service with this text, behind the first so many bytes of all of them. A request is
// recorded when it has been answered, after what it changed can be seen.
func (s *service) sends(after int, text string) {
	s.t.Helper()
	if err := env.Cloud.Until(within(s.t), func() bool {
		sent := s.requests()
		return strings.Contains(sent[min(after, len(sent)):], text)
	}); err != nil {
		s.t.Errorf("%s was not sent: %v: %s", text, err, s.requests())
	}
}

// TestAlgorithm: it is sent, but the cloud ignores it, so that only requests show it.
func TestAlgorithm(t *testing.T) {
	parallel(t)
	s := create(t, regional("algorithm", "least_connections"))
	s.balancer(active)
	s.sends(0, `"algorithm":"least_connections"`)
	s.event("ConfigurationIgnored", upstream+"algorithm", "ignores")
	n := len(s.requests())
	s.unset(upstream + "algorithm")
	s.proof()
	s.sends(n, `"algorithm":"round_robin"`)
	s.annotate(map[string]string{upstream + "algorithm": "fastest"})
	s.event("ConfigurationIgnored", upstream+"algorithm", "fastest", "round_robin, least_connections")
	s.proof()
}
