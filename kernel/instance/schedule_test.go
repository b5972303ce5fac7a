package instance

import (
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestSchedule(t *testing.T) {
	tests := []struct {
		name            string
		limits          cloud.Limits
		n, watched      int
		pages           int
		metadata, state time.Duration
	}{
		{"DigitalOcean", digitalOcean, 1000, 100, 5, time.Minute, 33 * time.Second},
		{"DigitalOcean, one", digitalOcean, 1000, 1, 5, time.Minute, 10 * time.Second},
		{"DigitalOcean, large", digitalOcean, 5000, 500, 25, 2 * time.Minute, 2 * time.Minute},
		{"Hetzner", hetzner, 1000, 100, 20, 133 * time.Second, 133 * time.Second},
		{"Hetzner, one", hetzner, 1000, 1, 20, 133 * time.Second, 10 * time.Second},
		{"no limits", aws, 1000, 100, 1, time.Minute, 33 * time.Second},
		{"nothing published", cloud.Limits{}, 10, 1, 1, time.Minute, 33 * time.Second},
		{"only per minute", cloud.Limits{PageSize: 10, RequestsPerMinute: 10}, 100, 100, 10, 400 * time.Second, 400 * time.Second},
		{"no machines", digitalOcean, 0, 0, 1, time.Minute, 10 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := schedule{policy: DefaultPolicy(), limits: test.limits}
			if got := p.pages(test.n); got != test.pages {
				t.Errorf("pages() = %d, want %d", got, test.pages)
			}
			if got := p.metadataAge(test.n).Truncate(time.Second); got != test.metadata {
				t.Errorf("metadataAge() = %v, want %v", got, test.metadata)
			}
			if got := p.stateAge(test.n, test.watched).Truncate(time.Second); got != test.state {
				t.Errorf("stateAge() = %v, want %v", got, test.state)
			}
		})
	}
}
