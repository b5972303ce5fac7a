package front

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

// Listen serves on a TCP address such as "127.0.0.1:0" in the background and returns the base URL.
// Call Close to stop.
func (f *Front) Listen(addr string) (string, error) { return f.listen(addr, "", "") }

// ListenTLS is Listen with the certificate and key of two files.
func (f *Front) ListenTLS(addr, certificate, key string) (string, error) {
	return f.listen(addr, certificate, key)
}

func (f *Front) listen(addr, certificate, key string) (string, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("listening on %s: %w", addr, err)
	}
	server := &http.Server{Handler: f.outer, ReadHeaderTimeout: time.Minute}
	f.listening.Lock()
	defer f.listening.Unlock()
	if f.server != nil {
		return "", errors.Join(errors.New("the emulator listens already"), listener.Close())
	}
	f.server, f.url = server, "http://"+listener.Addr().String()
	if certificate == "" {
		go func() { _ = server.Serve(listener) }() // ends with http.ErrServerClosed after Close
		return f.url, nil
	}
	f.url = "https://" + listener.Addr().String()
	go func() { _ = server.ServeTLS(listener, certificate, key) }() // ends after Close; a bad certificate shows at the first request
	return f.url, nil
}

// URL returns what Listen did, "" before.
func (f *Front) URL() string {
	f.listening.Lock()
	defer f.listening.Unlock()
	return f.url
}

// Close lets go of all hanging requests and stops listening. It may be called more than once.
func (f *Front) Close() {
	f.closed.Do(func() { close(f.done) })
	f.listening.Lock()
	defer f.listening.Unlock()
	if f.server != nil {
		_ = f.server.Close() // a test server: nothing to save
	}
}

// Announce says that the vendor's state has changed, to everyone in Until.
func (f *Front) Announce() { f.signal.Announce() }

// Until returns nil as soon as holds is true, or ctx's cause. It looks after every announced change
// and every request, without polling; holds may use all methods of the Front.
func (f *Front) Until(ctx context.Context, holds func() bool) error {
	return f.signal.Until(ctx, holds)
}

// AddFault puts a fault in force and returns its id. It panics when the fault can't have been
// meant, see fault.Fault.Validate.
func (f *Front) AddFault(wanted fault.Fault) string {
	id, err := f.Faults.Add(wanted)
	if err != nil {
		panic(fmt.Sprintf("adding a fault: %v", err))
	}
	return id
}

// ClearFaults takes all faults away.
func (f *Front) ClearFaults() { f.Faults.Clear() }

// SetLatency makes every API request take at least d.
func (f *Front) SetLatency(d time.Duration) { f.latency.Store(int64(d)) }

// SetQuota changes the request quota; the zero value switches it off.
func (f *Front) SetQuota(q rate.Quota) { f.Quota.Set(q) }

// HaltAt arms a trigger. It panics when the trigger can't have been meant.
func (f *Front) HaltAt(t halt.Trigger) {
	if err := f.ArmTrigger(t); err != nil {
		panic(err)
	}
}

// Counters returns the counters per route.
func (f *Front) Counters() traffic.Counters { return f.Book.Counters() }

// Requests returns the request log, oldest first.
func (f *Front) Requests() []traffic.Request { return f.Book.Requests() }

// ResetTraffic empties counters and request log.
func (f *Front) ResetTraffic() { f.Book.Reset() }
