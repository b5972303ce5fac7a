package digitalocean_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// supervisor keeps a CCM running: when it was killed, the next one starts. There are dozens of them, so they have
// no race detector.
type supervisor struct {
	t    *testing.T
	args []string

	mu      sync.Mutex
	process *ccm.Process
	ended   bool
	done    chan struct{}
}

// supervise starts a CCM and everyone after it, until the test ends.
func supervise(t *testing.T, args ...string) *supervisor {
	t.Helper()
	s := &supervisor{t: t, args: args, done: make(chan struct{})}
	if err := s.next(); err != nil {
		t.Fatal(err)
	}
	go s.run()
	t.Cleanup(s.end)
	s.settled()
	return s
}

func (s *supervisor) next() error {
	p, err := launchOf(s.t.Name(), true, nil, s.args...)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.process = p
	s.mu.Unlock()
	return nil
}

func (s *supervisor) current() (p *ccm.Process, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process, s.ended
}

func (s *supervisor) run() {
	defer close(s.done)
	for {
		p, _ := s.current()
		<-p.Done()
		if err := lab.RaceReports(p.Log()); err != nil {
			s.t.Error(err)
		}
		if _, ended := s.current(); ended {
			return
		}
		env.Cloud.Disarm()
		if err := s.next(); err != nil {
			s.t.Error(err)
			return
		}
	}
}

// settled waits until there is a CCM that serves.
func (s *supervisor) settled() {
	s.t.Helper()
	err := controlplane.Eventually(within(s.t), func(ctx context.Context) error {
		p, _ := s.current()
		_, err := p.Get(ctx, "/healthz", "")
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// end stops the last CCM.
func (s *supervisor) end() {
	env.Cloud.Disarm()
	s.mu.Lock()
	s.ended = true
	p := s.process
	s.mu.Unlock()
	stop(s.t, p)
	<-s.done
	if s.t.Failed() {
		s.t.Logf("end of the last ccm's log %s:\n%s", p.LogPath(), p.Tail())
	}
}

// killAt has the present CCM killed at a request from now on, which is then cut off like
// all others until the next CCM runs. The function it returns calls the trap off, and says
// where the CCM was killed, nil when it was not; then the next one runs already.
func (s *supervisor) killAt(n int, mutating bool, phase halt.Phase) func() *halt.Event {
	var mu sync.Mutex // held until the CCM is dead
	var at *halt.Event
	killed, _ := s.current()
	env.Cloud.HaltAt(halt.Trigger{
		N: n, Mutating: mutating, Phase: phase, Action: halt.Drop, Freeze: true,
		Fired: func(e halt.Event) {
			mu.Lock()
			defer mu.Unlock()
			at = &e
			killed.Kill()
		},
	})
	return func() *halt.Event {
		env.Cloud.Disarm()
		mu.Lock()
		defer mu.Unlock()
		if at != nil {
			s.succeeded(killed)
		}
		return at
	}
}

// outlives puts another CCM in the place of the present one, for which the creation of the Service's balancer is so long ago that it
// does not count any more.
func (s *supervisor) outlives(svc *service) {
	s.t.Helper()
	killed, _ := s.current()
	killed.Kill()
	s.succeeded(killed)
	svc.age()
}

// succeeded waits until another CCM than this one serves.
func (s *supervisor) succeeded(dead *ccm.Process) {
	s.t.Helper()
	err := controlplane.Eventually(within(s.t), func(context.Context) error {
		if p, _ := s.current(); p == dead {
			return errors.New("the ccm that was killed has no successor")
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.settled()
}
