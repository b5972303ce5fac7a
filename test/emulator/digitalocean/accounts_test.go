package digitalocean_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

func TestTokensAndAccounts(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Droplets.Seed(2)
	a.In("other").Droplets.Seed(1)
	mine := a.want(http.StatusOK, "GET", "/v2/account", nil).object("account")["uuid"]
	for _, token := range []string{"", "wrong"} {
		a.token = token
		if got := a.want(http.StatusUnauthorized, "GET", "/v2/droplets", nil); got.body["id"] != "unauthorized" {
			t.Errorf("token %q: %v", token, got.body)
		}
		a.want(http.StatusUnauthorized, "GET", "/v2/nothing", nil)
	}
	a.token = "test-token"
	a.SetToken("test-token", "other")
	if got := a.want(http.StatusOK, "GET", "/v2/droplets", nil).list("droplets"); len(got) != 1 {
		t.Errorf("the other account has %d droplets", len(got))
	}
	if a.want(http.StatusOK, "GET", "/v2/account", nil).object("account")["uuid"] == mine {
		t.Error("the other account has the same id")
	}
	a.SetToken("test-token", "empty")
	if got := a.want(http.StatusOK, "GET", "/v2/droplets", nil).list("droplets"); len(got) != 0 {
		t.Errorf("the empty account has %d droplets", len(got))
	}
	a.RevokeToken("test-token")
	a.want(http.StatusUnauthorized, "GET", "/v2/account", nil)
}

func TestQuota(t *testing.T) {
	var offset atomic.Int64
	a := start(t, digitalocean.Options{
		Quota: rate.Quota{Hour: 4, Minute: 2},
		Now:   func() time.Time { return time.Unix(1_800_000_000+offset.Load(), 0) },
	})
	a.SetToken("second", "default")
	if got := a.want(http.StatusOK, "GET", "/v2/account", nil).header; got.Get("ratelimit-limit") != "4" || got.Get("ratelimit-remaining") != "3" {
		t.Errorf("headers %v", got)
	}
	a.want(http.StatusNotFound, "GET", "/v2/nothing", nil)
	burst := a.want(http.StatusTooManyRequests, "GET", "/v2/account", nil)
	if burst.body["id"] != "too_many_requests" || burst.header.Get("retry-after") != "60" || burst.header.Get("ratelimit-remaining") != "2" {
		t.Errorf("burst: %v %v", burst.body, burst.header)
	}
	offset.Add(60)
	a.want(http.StatusOK, "GET", "/v2/account", nil)
	a.want(http.StatusOK, "GET", "/v2/account", nil)
	offset.Add(60)
	hourly := a.want(http.StatusTooManyRequests, "GET", "/v2/account", nil)
	if hourly.header.Get("retry-after") != "" || hourly.header.Get("ratelimit-reset") != "1800003600" || hourly.header.Get("ratelimit-remaining") != "0" {
		t.Errorf("hourly: %v", hourly.header)
	}
	a.want(http.StatusOK, "GET", "/_emulator/state", nil)
	a.token = "second"
	a.want(http.StatusOK, "GET", "/v2/account", nil)
	a.token = "wrong"
	a.want(http.StatusUnauthorized, "GET", "/v2/account", nil)
	a.token = "second"
	a.SetQuota(rate.Quota{})
	if got := a.want(http.StatusOK, "GET", "/v2/account", nil).header; got.Get("ratelimit-limit") != "" {
		t.Errorf("headers without a quota: %v", got)
	}
}
