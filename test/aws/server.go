package aws

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// Server is a running moto. It is on a Unix socket, so no port has to be free.
type Server struct {
	process  *process.Process
	folder   string
	socket   string
	accounts atomic.Int64
}

// Start installs moto where that has not been done, and starts one. What the installation says
// goes to progress. The server has to be stopped.
func Start(ctx context.Context, progress io.Writer) (*Server, error) {
	root, err := ccm.Root()
	if err != nil {
		return nil, err
	}
	source := filepath.Join(root, "test", "aws", "moto")
	install := exec.CommandContext(ctx, filepath.Join(source, "venv.sh"))
	var venv bytes.Buffer
	install.Stdout, install.Stderr = &venv, progress
	if err := install.Run(); err != nil {
		return nil, fmt.Errorf("installing the moto server: %w", err)
	}
	folder, err := os.MkdirTemp("", "moto-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the moto server: %w", err)
	}
	s := &Server{folder: folder, socket: filepath.Join(folder, "socket")}
	s.process, err = process.Start(process.Spec{
		Path: filepath.Join(strings.TrimSpace(venv.String()), "bin", "python"),
		// -B: Python is not to write into the source.
		Args: []string{"-B", filepath.Join(source, "server.py"), s.socket},
		Dir:  folder, Name: "moto",
	})
	if err == nil {
		err = s.answers(ctx)
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// answers returns when the server takes connections.
func (s *Server) answers(ctx context.Context) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		connection, err := s.dial(ctx)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-ticker.C:
		case <-s.process.Ended().Done():
			return fmt.Errorf("starting the moto server: it ended: %s", s.process.Tail())
		case <-ctx.Done():
			return fmt.Errorf("waiting for the moto server: %w", err)
		}
	}
}

func (s *Server) dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", s.socket)
}

// Stop ends the server, with everything in it.
func (s *Server) Stop() {
	s.process.Stop()
	_ = os.RemoveAll(s.folder) // a temporary folder
}

// Account returns the number of an account that nobody has had before.
func (s *Server) Account() string {
	const first = 100_000_000_000
	return fmt.Sprint(first + s.accounts.Add(1))
}

// reseed makes moto's ids begin anew. They are its only chance.
func (s *Server) reseed(t testing.TB) {
	t.Helper()
	transport := s.Transport("")
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://moto/moto-api/seed?a=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("seeding moto's ids: %s", answer.Status)
	}
}

// Transport carries requests to the server, as the account, wherever they were sent to. Close
// its idle connections at the end.
func (s *Server) Transport(account string) *Transport {
	return &Transport{account: account, next: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) },
	}}
}

// Transport is what Server.Transport returns.
type Transport struct {
	account string
	next    *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", "moto"
	if r.Body != nil {
		// See answers in providers/aws/session: the SDK's body breaks connections.
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	r.Header.Set("X-Moto-Account-Id", t.account)
	return t.next.RoundTrip(r)
}

// CloseIdleConnections does what its name says; http.Client knows it.
func (t *Transport) CloseIdleConnections() { t.next.CloseIdleConnections() }
