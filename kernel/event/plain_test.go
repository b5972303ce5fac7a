package event_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		// godo
		`observing balancer: GET https://api.digitalocean.com/v2/load_balancers?page=1: 500 (request "6f8b1c2e-0000-4000-8000-1234567890ab") not today`: "observing balancer: 500 not today",
		// net/http
		`Get "https://api.digitalocean.com/v2/account": dial tcp: lookup api.digitalocean.com on 10.96.0.10:53: no such host`: "dial tcp: lookup api.digitalocean.com on 10.96.0.10:53: no such host",
		`Post "https://10.0.0.1:8774/v2.1/servers": read tcp 10.0.0.7:53422->10.0.0.1:8774: read: connection reset by peer`:   "read: read: connection reset by peer",
		// aws-sdk-go-v2
		"operation error EC2: DescribeInstances, https response error StatusCode: 403, RequestID: 0a1b2c3d-0000-4000-8000-1234567890ab, api error UnauthorizedOperation: You are not authorized": "operation error EC2: DescribeInstances, https response error StatusCode: 403, api error UnauthorizedOperation: You are not authorized",
		// gophercloud
		`Expected HTTP response code [200] when accessing [GET http://10.0.0.1:9876/v2.0/lbaas/loadbalancers/1], but got 500 instead: {"faultstring": "boom (req-0a1b2c3d-0000-4000-8000-1234567890ab)"}`: `Expected HTTP response code [200] when accessing , but got 500 instead: {"faultstring": "boom"}`,
		"UnauthorizedOperation: You are not authorized to perform this operation. Encoded authorization failure message: Jx3_a-9Bz":                                                                       "UnauthorizedOperation: You are not authorized to perform this operation.",
		"refused (RequestId: 0a1b2c3d; Status Code: 403)":               "refused (Status Code: 403)",
		"refused (Status Code: 403; Request ID: 0a1b2c3d)":              "refused (Status Code: 403)",
		"refused (Request ID: 0a1b2c3d)":                                "refused",
		"refused (req-0a1b2c3d-0000-4000-8000-1234567890ab, try again)": "refused (try again)",
		// crypto/x509, and HTTP/2
		"x509: certificate has expired or is not yet valid: current time 2026-11-22T17:24:20Z is after 2025-01-01T00:00:00Z": "x509: certificate has expired or is not yet valid: current time is after 2025-01-01T00:00:00Z",
		`http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=""`:                 `http2: server sent GOAWAY and closed the connection; ErrCode=NO_ERROR, debug=""`,
		// IPv6
		`Get "https://[fd00::1]:9876/v2.0/lbaas": connection refused`:                           "connection refused",
		`Expected HTTP response code [200] when accessing [GET https://[fd00::1]:9876/v2], but`: "Expected HTTP response code [200] when accessing , but",
		"asking https://[fd00::1]:9876/v2, which fails":                                         "asking the API, which fails",
		// what the user wrote
		`service shop/web: multicloud-ccm.io/health-check: "http://web.example.com/ok" is not possible: want a path such as /ok`: `service shop/web: multicloud-ccm.io/health-check: "http://web.example.com/ok" is not possible: want a path such as /ok`,
		`observing (Request ID: 0a1b2c3d): a.io/x: "get \"https://a\"" is not possible: want https://b/c`:                        `observing: a.io/x: "get \"https://a\"" is not possible: want https://b/c`,
		// what stays
		"the request identity is refused":                          "the request identity is refused",
		"balancer 0a1b2c3d-0000-4000-8000-1234567890ab has failed": "balancer 0a1b2c3d-0000-4000-8000-1234567890ab has failed",
		"the request was refused":                                  "the request was refused",
		"get a bigger quota":                                       "get a bigger quota",
		"see https://example.com/help for more":                    "see the API for more",
	} {
		if got := event.Plain(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
		if again := event.Plain(event.Plain(text)); again != event.Plain(text) {
			t.Errorf("%q is not plain yet: %q", event.Plain(text), again)
		}
	}
}
