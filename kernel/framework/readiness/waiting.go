package readiness

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
)

// Waiting answers the probes of a process that waits for the cloud before it can start, in the place of upstream's server: it is
// alive, because a restart would not help, and not ready.
type Waiting struct {
	host string
	port int

	begin  sync.Once
	server *http.Server
}

// NewWaiting returns what answers at an address from the first call of Wait on. Without a port nothing answers.
func NewWaiting(bind net.IP, port int) *Waiting { return &Waiting{host: bind.String(), port: port} }

// Wait has the probes answered. The log says why the process is not ready.
func (w *Waiting) Wait() {
	w.begin.Do(func() {
		if w.port <= 0 {
			return
		}
		if err := w.listen(); err != nil {
			klog.ErrorS(err, "Nobody answers the probes until the cloud does")
		}
	})
}

// listen begins to answer, with a certificate that nobody has to trust: kubelet does not ask who it is.
func (w *Waiting) listen() error {
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return fmt.Errorf("reading the certificate: %w", err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(w.host, strconv.Itoa(w.port)))
	if err != nil {
		return err
	}
	paths := http.NewServeMux()
	paths.HandleFunc(livePath, func(answer http.ResponseWriter, _ *http.Request) { fmt.Fprint(answer, "ok") })
	paths.HandleFunc(readyPath, func(answer http.ResponseWriter, _ *http.Request) {
		http.Error(answer, "not ready; the log says why", http.StatusServiceUnavailable)
	})
	w.server = &http.Server{Handler: paths, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_ = w.server.Serve(tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}))
	}()
	return nil
}

// Close frees the address for upstream's server.
func (w *Waiting) Close() {
	if w.server != nil {
		_ = w.server.Close()
	}
}
