package openstack_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
)

// pageSize is the largest page this cloud serves: Nova and Neutron let operators lower it.
const pageSize = 2

// transport is what lies between the driver and the cloud. It counts, and makes answers wrong.
type transport struct {
	next http.RoundTripper

	mu            sync.Mutex
	reads, writes int
	fault         *conformance.Fault
	// skip is how many requests pass before the fault.
	skip int
}

func (t *transport) count(r *http.Request) *conformance.Fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	if openstack.ReadOnly(r) {
		t.reads++
	} else {
		t.writes++
	}
	if t.fault == nil || t.skip > 0 {
		t.skip--
		return nil
	}
	return t.fault
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	fault := t.count(r)
	r = r.Clone(r.Context())
	r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=1000", "limit="+strconv.Itoa(pageSize), 1)
	switch {
	case fault == nil:
		return t.next.RoundTrip(r)
	case fault.Hang:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case fault.Nonsense:
		return answer(r, http.StatusOK, "<html>a proxy</html>"), nil
	case fault.Blank:
		return answer(r, http.StatusOK, "{}"), nil
	case fault.Status != 0:
		body := fault.Body
		if body == "" {
			body = refusal(r, fault.Status)
		}
		response := answer(r, fault.Status, body)
		if fault.RetryAfter > 0 {
			response.Header.Set("Retry-After", strconv.Itoa(int(fault.RetryAfter.Seconds())))
		}
		return response, nil
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if fault.Lost {
		_ = response.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	response.Body = &cut{response.Body, 5}
	return response, nil
}

// cut is a body that breaks off.
type cut struct {
	io.ReadCloser
	left int
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), c.left)])
	c.left -= n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func answer(r *http.Request, status int, body string) *http.Response {
	header := http.Header{"Content-Type": {"application/json"}}
	if strings.HasPrefix(body, "<") {
		header.Set("Content-Type", "text/html")
	}
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// refusal is the body each API gives an error.
func refusal(r *http.Request, status int) string {
	code, text := strconv.Itoa(status), http.StatusText(status)
	switch r.URL.Port() {
	case "8774":
		if status == http.StatusNotFound {
			return `{"itemNotFound": {"code": 404, "message": "Instance could not be found."}}`
		}
		return `{"computeFault": {"code": ` + code + `, "message": "` + text + `"}}`
	case "9696":
		return `{"NeutronError": {"type": "Some` + strings.ReplaceAll(text, " ", "") + `", "message": "` + text + `", "detail": ""}}`
	case "9876":
		return `{"faultcode": "Client", "faultstring": "` + text + `", "debuginfo": null}`
	}
	return `{"error": {"code": ` + code + `, "message": "` + text + `", "title": "` + text + `"}}`
}
