package cloud

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// classAdvice is what to do about a failure of a class.
var classAdvice = map[Class]string{
	FailureUnauthorized: "the cloud refuses the credentials: renew them, and check their rights",
	FailureThrottled:    "the account's rate limit is used up: find out which other program uses it",
	FailureQuota:        "a quota of the account is used up: raise it, or delete what nobody needs",
	FailureUnreadable:   "something else answers in the place of the cloud: check the URL of its API, and the proxy",
	FailureTransient:    "the cloud fails; it is tried again",
}

const unreachable = "the cloud can't be reached: check proxy and firewall from where this runs; it is tried again"

// Advice says what to do about an error of a driver, "" where its text is all there is to say.
//
//	the error                              the advice is about
//	a certificate that is not valid yet,   the clock
//	 or not any more
//	any other of a certificate             the authority, and proxies that intercept TLS
//	an answer that is not TLS              the scheme of the URL, and the proxy
//	a name that is not resolved            DNS
//	a page that is none of the API's       the URL, and the proxy, whatever the status
//	transient, and nothing answered        proxy and firewall
//	anything else                          its class
func Advice(err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "the certificate of the cloud's API is not valid now: check the clock of this machine, then the certificate"
	}
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, host := errors.AsType[x509.HostnameError](err)
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	if authority || host || verification {
		return "the certificate of the cloud's API is not trusted: configure its authority, and check whether a proxy intercepts TLS"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "what answers does not speak TLS: check the URL of the cloud's API, and the proxy"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name of the cloud's API is not resolved: check the DNS servers of the node, which has to work before CoreDNS does, and the URL"
	}
	return adviceOf(err, FailureOf(err).Class)
}

func adviceOf(err error, class Class) string {
	switch answered := !NoAnswer(err); {
	case answered && (page(err) || class == FailureUnknown && NoSense(err)):
		return classAdvice[FailureUnreadable]
	case !answered && class == FailureTransient:
		return unreachable
	}
	return classAdvice[class]
}

// NotStarted says that a provider does not start, and what to do where its credentials are refused.
func NotStarted(provider string, err error) error {
	if IsClass(err, FailureUnauthorized) {
		return fmt.Errorf("starting provider %s: %w; %s", provider, err, Advice(err))
	}
	return fmt.Errorf("starting provider %s: %w", provider, err)
}
