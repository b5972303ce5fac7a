package transport

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// maxHeader bounds the header of an answer, in bytes.
const maxHeader = 256 << 10

// Base returns a transport with defaults for a long-running client of one API:
// TLS 1.2 or newer with verification, the proxy of the environment, HTTP/2, and limits on
// every phase of connecting. The request as a whole is bounded by New.
func Base() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
		// A connection that died without a word would otherwise swallow every request
		// until the kernel's TCP gives up, many minutes later.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    32, // as many requests as the limiter has under way
		IdleConnTimeout:        90 * time.Second,
	}
}
