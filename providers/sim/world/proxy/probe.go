package proxy

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// probeForever checks the targets at the interval of the health check, and at once after
// a change.
func (f *Proxy) probeForever(ctx context.Context) {
	for {
		f.mu.Lock()
		check := f.spec.HealthCheck
		f.mu.Unlock()
		if check.Port != 0 {
			f.probeAll(ctx, check)
		}
		select {
		case <-ctx.Done():
			return
		case <-f.nudge:
		case <-time.After(max(seconds(check.IntervalSeconds), time.Second)):
		}
	}
}

// probeAll checks every target once, all at the same time.
func (f *Proxy) probeAll(ctx context.Context, check api.HealthCheck) {
	var probes sync.WaitGroup
	for id, address := range f.pool.addresses() {
		probes.Go(func() { f.pool.record(id, address, probe(ctx, check, address), check) })
	}
	probes.Wait()
}

// probe checks one target.
func probe(ctx context.Context, check api.HealthCheck, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, seconds(check.TimeoutSeconds))
	defer cancel()
	hostPort := net.JoinHostPort(address, strconv.Itoa(check.Port))
	if check.Protocol == "tcp" {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", hostPort)
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+hostPort+check.Path, nil)
	if err != nil {
		return false
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
