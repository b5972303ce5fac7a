package cloud

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Class is the kind of a failure. The set is closed: retries, events, metrics and safety
// decisions depend on the class and never on the text of an error.
type Class string

// The classes.
//
//	class         retried at once  retried later      proves absence
//	not found     no               no                 for that id, once
//	conflict      no               soon               no
//	throttled     no               after RetryAfter   no
//	unauthorized  no               yes, slowly        no
//	quota         no               yes, slowly        no
//	invalid       no               when input changes no
//	transient     reads only       yes                no
//	unreadable    no               yes                no
//	unknown       no               yes                no
const (
	FailureNotFound     Class = "not_found"
	FailureConflict     Class = "conflict"
	FailureThrottled    Class = "throttled"
	FailureUnauthorized Class = "unauthorized"
	FailureQuota        Class = "quota"
	FailureInvalid      Class = "invalid"
	FailureTransient    Class = "transient"
	FailureUnreadable   Class = "unreadable"
	FailureUnknown      Class = "unknown"
)

// Final says that what failed was certainly not done, and will not be done soon either: a driver that makes something in several
// steps takes back what it made before.
func (c Class) Final() bool {
	switch c {
	case FailureInvalid, FailureQuota, FailureUnauthorized, FailureNotFound:
		return true
	}
	return false
}

// Failure is what Driver.Classify says about an error.
type Failure struct {
	Class Class
	// RetryAfter is how long the cloud asked us to wait, 0 when it did not say.
	RetryAfter time.Duration
}

// Error is an error of a driver together with its class. The kernel's decorators return
// it for every failed driver call.
type Error struct {
	Failure
	// Op is the driver call, such as "observing balancer".
	Op  string
	Err error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s", e.Op, Shorten(fmt.Sprint(e.Err), mostOfText))
}

func (e *Error) Unwrap() error { return e.Err }

// FailureOf returns the failure an error carries, FailureUnknown when it carries none.
func FailureOf(err error) Failure {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Failure
	}
	if _, ok := errors.AsType[*Invalid](err); ok {
		return Failure{Class: FailureInvalid}
	}
	if _, ok := errors.AsType[*Unreadable](err); ok {
		return Failure{Class: FailureUnreadable}
	}
	if _, ok := errors.AsType[*TokenError](err); ok {
		return Failure{Class: FailureUnauthorized}
	}
	return Failure{Class: FailureUnknown}
}

// IsClass reports whether err carries a failure of that class.
func IsClass(err error, class Class) bool { return err != nil && FailureOf(err).Class == class }

// NoAnswer recognises the failures of a network that are the same for every SDK: there was
// no answer, or only a part of one. The kernel takes what a driver does not know for
// FailureTransient when it is one of them.
func NoAnswer(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	late, ok := errors.AsType[net.Error](err)
	return network || ok && late.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// NoSense recognises an answer that is not one of the API, such as a proxy's page or ErrIncomplete: it
// may be different the next time.
func NoSense(err error) bool {
	_, address := errors.AsType[*url.Error](err)
	return address || page(err) || errors.Is(err, ErrIncomplete)
}

// page recognises an answer that is not the JSON of the API.
func page(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, kind := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || kind
}

// Invalid is an error about what the user asked for: it names the field, the value and
// what would be right.
type Invalid struct {
	// Field is an annotation key or a Service field such as "spec.ports[1].protocol".
	Field string
	// Value is "" where the field is not set.
	Value string
	// Want says what would be right.
	Want string
}

func (e *Invalid) Error() string {
	field, want := Shorten(e.Field, MostOfValue), Shorten(e.Want, mostOfText)
	if e.Value == "" {
		return field + " is not set: " + want
	}
	return fmt.Sprintf("%s: %s is not possible: %s", field, quoteShort(e.Value), want)
}

// Unreadable is an answer that is refused before it is read whole: it is larger than any answer of
// the API, leads elsewhere or does not end. It proves nothing.
type Unreadable struct {
	// Why says what is wrong with the answer, without quoting it.
	Why string
}

func (e *Unreadable) Error() string { return "the answer is not one of the API: " + e.Why }

// classAdvice is what to do about a failure of a class.
var classAdvice = map[Class]string{
	FailureUnauthorized: "the cloud refuses the credentials: renew them, and check their rights",
	FailureThrottled:    "the account's rate limit is used up: ccm_cloud_limiter_wait_seconds counts this program's requests by purpose; where they are few, find out which other program uses the limit",
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

// MayPass reports whether what a driver's constructor fails with can be otherwise in a while, although nobody changes the
// configuration:
//
//	error                                                   may pass
//	a wrong setting                                         no
//	credentials that are refused                            yes: they are renewed without a restart
//	no answer, one that is none of the API's, a rate limit  yes
//	anything else                                           no
func MayPass(err error) bool {
	if _, wrong := errors.AsType[*Invalid](err); wrong || err == nil {
		return false
	}
	if address, is := errors.AsType[*url.Error](err); is && address.Op == "parse" {
		return false
	}
	switch FailureOf(err).Class {
	case FailureTransient, FailureThrottled, FailureUnreadable, FailureUnauthorized:
		return true
	}
	return NoAnswer(err) || NoSense(err)
}

// NotStarted says that a provider does not start, and what to do where its credentials are refused.
func NotStarted(provider string, err error) error {
	if IsClass(err, FailureUnauthorized) {
		return fmt.Errorf("starting provider %s: %w; %s", provider, err, Advice(err))
	}
	return fmt.Errorf("starting provider %s: %w", provider, err)
}
