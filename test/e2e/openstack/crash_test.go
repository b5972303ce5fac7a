package openstack_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// errKilled is what a process that was killed gets to see: nothing.
var errKilled = errors.New("killed")

// killer ends a process at a certain write: before the cloud gets it, or before its answer comes.
type killer struct {
	next   http.RoundTripper
	writes int
	at     int
	done   bool // the cloud does what it is told at that write
	dead   bool
}

func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	login := strings.HasSuffix(r.URL.Path, "/auth/tokens")
	if k.dead {
		return nil, errKilled
	}
	if r.Method == http.MethodGet || login {
		return k.next.RoundTrip(r)
	}
	k.writes++
	if k.writes != k.at {
		return k.next.RoundTrip(r)
	}
	k.dead = true
	if k.done {
		if answer, err := k.next.RoundTrip(r); err == nil {
			answer.Body.Close()
		}
	}
	return nil, errKilled
}

var volatile = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|172\.2[45]\.\d+\.\d+|10\.0\.\d+\.\d+|fd00:1:[0-9a-f:]+`)

// shape is the project without ids and addresses, sorted.
func (s *site) shape() []string {
	s.Helper()
	var lines []string
	for _, line := range s.inventory() {
		lines = append(lines, volatile.ReplaceAllString(line, "…"))
	}
	slices.Sort(lines)
	return lines
}

// TestCrashes ends the process at each write of a life: once before the cloud gets it, and once
// before the answer comes. The next process gets to the same end.
func TestCrashes(t *testing.T) {
	s := newSite(t, siteOptions{})
	config := "[LoadBalancer]\nmanage-security-groups=true\n"
	uid := s.service("web").UID
	empty := s.shape()
	create := func() *corev1.Service {
		return s.service("web", func(svc *corev1.Service) { svc.UID, svc.Spec.Ports = uid, svc.Spec.Ports[:1] })
	}
	transform := func(svc *corev1.Service) {
		svc.Annotations[own+"x-forwarded-for"] = "true"
	}
	for _, done := range []bool{false, true} {
		var created, changed []string
		for at := 0; ; at++ {
			fresh := on(t, s.project, s.nodes, siteOptions{config: config})
			svc := create()
			killed := fresh.kill(at, done, func(k *site) error { return k.try(svc) }, config)
			fresh.ensure(svc)
			created = fresh.same(fmt.Sprintf("creation, write %d, done %t", at, done), created)

			transform(svc)
			killed = fresh.kill(at, done, func(k *site) error { return k.try(svc) }, config) || killed
			fresh.ensure(svc)
			changed = fresh.same(fmt.Sprintf("change, write %d, done %t", at, done), changed)

			killed = fresh.kill(at, done, func(k *site) error { return k.through(func() error { return k.manager.Delete(t.Context(), svc) }) }, config) || killed
			fresh.remove(svc)
			if diff := cmp.Diff(empty, fresh.shape()); diff != "" {
				t.Errorf("deletion, write %d, done %t: left (-before +after):\n%s", at, done, diff)
			}
			if at > 0 && !killed {
				break // there are fewer writes
			}
		}
	}
}

// kill runs something in a process that is killed at that write, 0 for never, and reports
// whether it was.
func (s *site) kill(at int, done bool, run func(*site) error, config string) bool {
	s.Helper()
	if at == 0 {
		return true
	}
	doomed := on(s.T, s.project, s.nodes, siteOptions{config: config})
	k := &killer{next: doomed.traffic.next, at: at, done: done}
	doomed.traffic.next = k
	err := run(doomed)
	if !k.dead {
		s.must(err, "nobody was killed")
	}
	return k.dead
}

// same compares the project with what it was at the first time.
func (s *site) same(when string, first []string) []string {
	s.Helper()
	now := s.shape()
	if first == nil {
		return now
	}
	if diff := cmp.Diff(first, now); diff != "" {
		s.Errorf("%s: another end (-first +now):\n%s", when, diff)
	}
	return first
}
