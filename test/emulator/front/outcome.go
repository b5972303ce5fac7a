package front

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

// outcome is what will become of a request: a buffered answer, or less.
type outcome struct {
	header http.Header
	status int
	body   bytes.Buffer

	// keep is how many bytes of the body are sent before the connection is
	// dropped; all of them and no drop when negative.
	keep int
	drop bool
	hang bool
}

func newOutcome() *outcome { return &outcome{header: http.Header{}, keep: -1} }

// stopped is the outcome of a halt.
func stopped(action halt.Action) *outcome {
	out := newOutcome()
	out.drop, out.hang = action == halt.Drop, action == halt.Hang
	return out
}

// Header, WriteHeader and Write implement http.ResponseWriter.

func (o *outcome) Header() http.Header { return o.header }

func (o *outcome) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
}

func (o *outcome) Write(data []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return o.body.Write(data)
}

// recordedStatus is the status the caller sees, 0 for none.
func (o *outcome) recordedStatus() int {
	switch {
	case o.drop || o.hang:
		return 0
	case o.status == 0:
		return http.StatusOK
	}
	return o.status
}

// send delivers the outcome. Dropping a connection is done by panicking with
// http.ErrAbortHandler, which net/http takes as exactly that. What hangs does so
// until the caller leaves, lifted is closed, or the emulator is closed.
func (f *Front) send(w http.ResponseWriter, r *http.Request, o *outcome, lifted <-chan struct{}) {
	if o.hang {
		select {
		case <-r.Context().Done():
		case <-lifted:
		case <-f.done:
		}
	}
	if o.hang || o.drop {
		panic(http.ErrAbortHandler)
	}
	header := w.Header()
	for name, values := range o.header {
		header[name] = values
	}
	body := o.body.Bytes()
	status := o.recordedStatus()
	if status != http.StatusNoContent {
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if o.keep < 0 || o.keep >= len(body) {
		_, _ = w.Write(body) // the caller left: nothing to do about it
		return
	}
	_, _ = w.Write(body[:o.keep])
	_ = http.NewResponseController(w).Flush() // so that the part arrives before the end
	panic(http.ErrAbortHandler)
}
