package session

import (
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// The kernel bounds every request already; only a shorter time has to be kept here.
func TestTimeOfARequest(t *testing.T) {
	for given, want := range map[string]time.Duration{"": 0, "request-timeout=60s": 0, "request-timeout=20": 20 * time.Second} {
		parsed, _, err := config.Parse([]byte("[Metadata]\n" + given))
		if err != nil {
			t.Fatal(err)
		}
		client, err := newHTTPClient(cloud.Config{}, config.TLSFiles{}, parsed.RequestTimeout)
		if err != nil || client.Timeout != want {
			t.Errorf("%q: %s, %v", given, client.Timeout, err)
		}
	}
}
