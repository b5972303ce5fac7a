package cloud_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What goes wrong on the way to the cloud is told apart, with the errors that net/http really returns.
func TestAdvice(t *testing.T) {
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	encrypted.Config.ErrorLog = nil
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	late := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: encrypted.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, Time: func() time.Time { return time.Now().AddDate(100, 0, 0) }}}
	get := func(transport http.RoundTripper, url string) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Client{Transport: transport}).Do(request)
		if err == nil {
			response.Body.Close()
			t.Fatalf("%s answers", url)
		}
		return err
	}
	dns := &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}
	var page any
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"unknown authority": {get(http.DefaultTransport, encrypted.URL), "proxy intercepts TLS"},
		"clock":             {get(late, encrypted.URL), "clock"},
		"no TLS":            {get(http.DefaultTransport, strings.Replace(plain.URL, "http://", "https://", 1)), "does not speak TLS"},
		"DNS":               {&net.OpError{Op: "dial", Err: dns}, "DNS"},
		"refused":           {transient(get(http.DefaultTransport, gone.URL)), "firewall"},
		"a proxy's page":    {json.Unmarshal([]byte("<html>"), &page), "something else answers"},
		"page, transient":   {transient(fmt.Errorf("decoding: %w", json.Unmarshal([]byte("<html>"), &page))), "something else answers"},
		"page, refused":     {&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Err: json.Unmarshal([]byte("<html>"), &page)}, "something else answers"},
		"500":               {transient(errors.New("500 not today")), "the cloud fails; it is tried again"},
		"a wrong token":     {&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Err: errors.New("no")}, "credentials"},
		"quota":             {&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureQuota}, Err: errors.New("no")}, "quota"},
	} {
		if got := cloud.Advice(test.err); !strings.Contains(got, test.want) {
			t.Errorf("%s: %v: advice %q, want %q", name, test.err, got, test.want)
		}
	}
	if got := cloud.Advice(errors.New("odd")); got != "" {
		t.Errorf("advice %q about an error that nothing is known of", got)
	}
}

func transient(err error) error {
	return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureTransient}, Err: err}
}

func TestNotStarted(t *testing.T) {
	for class, want := range map[cloud.Class]string{
		cloud.FailureUnauthorized: "starting provider x: log in: refused; the cloud refuses the credentials: renew them, and check their rights",
		cloud.FailureTransient:    "starting provider x: log in: refused",
	} {
		err := cloud.NotStarted("x", &cloud.Error{Failure: cloud.Failure{Class: class}, Op: "log in", Err: errors.New("refused")})
		if err.Error() != want || !cloud.IsClass(err, class) {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
