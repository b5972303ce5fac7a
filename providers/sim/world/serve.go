package world

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// Server is a world that listens.
type Server struct {
	// URL is where the API is, such as "http://127.0.0.1:8080".
	URL string

	world *World
	http  *http.Server
	done  chan error
}

// Start listens on the address, "127.0.0.1:0" for any free port, and serves the world
// until Close.
func (w *World) Start(addr string) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("starting the world: %w", err)
	}
	s := &Server{
		URL:   "http://" + listener.Addr().String(),
		world: w,
		http:  &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second},
		done:  make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

// Close stops serving, cuts all connections and ends the world.
func (s *Server) Close() error {
	s.world.Close()
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		return errors.Join(err, served)
	}
	return err
}

// Serve serves the world on the address until the context ends.
func (w *World) Serve(ctx context.Context, addr string) error {
	s, err := w.Start(addr)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return s.Close()
	case err := <-s.done:
		w.Close()
		return fmt.Errorf("serving the world: %w", err)
	}
}

// Embed starts a world with machines in it, see ParseMachines. Forward is as in Options.
func Embed(addr, machines string, forward bool) (*Server, error) {
	w, err := populated(machines, forward)
	if err != nil {
		return nil, err
	}
	return w.Start(addr)
}

// CheckMachines says why there is no world with these machines.
func CheckMachines(machines string) error {
	w, err := populated(machines, false)
	if err == nil {
		w.Close()
	}
	return err
}

func populated(machines string, forward bool) (*World, error) {
	parsed, err := ParseMachines(machines)
	if err != nil {
		return nil, err
	}
	w := New(Options{Forward: forward})
	for _, m := range parsed {
		if _, err := w.AddMachine(m); err != nil {
			w.Close()
			return nil, fmt.Errorf("adding machine %s: %w", m.Name, err)
		}
	}
	return w, nil
}

// ParseMachines reads "name=type@zone,…"; type, zone and a following "@address" are
// optional, as in "node-1,node-2=large@sim-1b,node-3=small@sim-1a@192.168.1.5".
func ParseMachines(text string) ([]api.Machine, error) {
	var machines []api.Machine
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, rest, _ := strings.Cut(item, "=")
		parts := strings.Split(rest, "@")
		if name == "" || len(parts) > 3 {
			return nil, fmt.Errorf("machine %q: want name=type@zone@address, all but the name optional", item)
		}
		parts = append(parts, "", "")
		m := api.Machine{Name: name, Type: parts[0], Zone: parts[1]}
		if parts[2] != "" {
			m.Addresses = []api.Address{{Kind: api.AddressPrivate, IP: parts[2]}}
		}
		machines = append(machines, m)
	}
	return machines, nil
}
