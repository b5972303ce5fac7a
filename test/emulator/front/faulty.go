package front

import (
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

// faulty answers a request the way the fault that hits it says, or properly
// when none does.
func (f *Front) faulty(r *http.Request) *outcome {
	hit := f.Faults.Take(r)
	if hit == nil {
		return f.call(r)
	}
	out := newOutcome()
	if !f.pause(r, time.Duration(hit.Latency)) {
		out.drop = true
		return out
	}
	replaced := hit.Status != 0 || hit.Hang || hit.Drop
	if hit.Apply || !replaced {
		out = f.call(r)
	}
	if hit.Status != 0 {
		out = f.replacement(r, hit)
	}
	f.damage(out, hit)
	return out
}

// call runs the vendor's handler.
func (f *Front) call(r *http.Request) *outcome {
	out := newOutcome()
	f.vendor.API.ServeHTTP(out, r)
	return out
}

// replacement is the answer of a fault with a status.
func (f *Front) replacement(r *http.Request, hit *fault.Fault) *outcome {
	if hit.Body == "" {
		return f.refuse(r, hit.Status)
	}
	out := newOutcome()
	out.header.Set("Content-Type", "application/json; charset=utf-8")
	out.WriteHeader(hit.Status)
	out.body.WriteString(hit.Body)
	return out
}

// damage applies what a fault does to an existing answer.
func (f *Front) damage(out *outcome, hit *fault.Fault) {
	out.hang, out.drop = hit.Hang, hit.Drop
	for name, value := range hit.Header {
		out.header.Set(name, value)
	}
	if hit.List != nil && out.recordedStatus() == http.StatusOK {
		if cut, err := hit.List.Cut(out.body.Bytes()); err == nil {
			out.body.Reset()
			out.body.Write(cut)
		}
	}
	if hit.Truncate != nil {
		out.keep = *hit.Truncate
	}
}
