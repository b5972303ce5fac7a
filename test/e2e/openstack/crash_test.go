package openstack_test

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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
	t.Parallel()
	for name, done := range map[string]bool{"before the cloud gets it": false, "before the answer comes": true} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			c := crash{site: s, done: done, uid: s.service("web").UID, empty: s.shape()}
			for more := true; more; c.at++ {
				more = c.life() || c.at == 0
			}
		})
	}
}

// crash ends processes at a certain write.
type crash struct {
	*site
	at   int // 0 for never
	done bool
	uid  types.UID
	// empty is the project at first, created and changed are what comes of it without a crash.
	empty, created, changed []string
}

const crashConfig = "[LoadBalancer]\nmanage-security-groups=true\n"

// life creates, changes and deletes a balancer, and reports whether any of it had that many writes.
func (c *crash) life() (killed bool) {
	c.Helper()
	fresh := on(c.T, c.project, c.nodes, siteOptions{config: crashConfig})
	svc := c.service("web", func(svc *corev1.Service) { svc.UID, svc.Spec.Ports = c.uid, svc.Spec.Ports[:1] })
	killed = c.kill(func(k *site) error { return k.try(svc) })
	fresh.ensure(svc)
	c.same("creation", fresh, &c.created)

	svc.Annotations[own+"x-forwarded-for"] = "true"
	killed = c.kill(func(k *site) error { return k.try(svc) }) || killed
	fresh.ensure(svc)
	c.same("change", fresh, &c.changed)

	fresh.outlives(svc) // else its absence is waited for, as that of a balancer which the cloud does not show yet
	killed = c.kill(func(k *site) error {
		return k.through(func() error { return k.manager.Delete(c.Context(), svc) })
	}) || killed
	fresh.remove(svc)
	c.same("deletion", fresh, &c.empty)
	return killed
}

// kill runs something in a process that is killed at that write, and reports whether it was.
func (c *crash) kill(run func(*site) error) bool {
	c.Helper()
	if c.at == 0 {
		return false
	}
	doomed := on(c.T, c.project, c.nodes, siteOptions{config: crashConfig})
	k := &killer{next: doomed.traffic.next, at: c.at, done: c.done}
	doomed.traffic.next = k
	err := run(doomed)
	if !k.dead {
		c.must(err, "nobody was killed")
	}
	return k.dead
}

// same compares the project with what it was at the first time.
func (c *crash) same(what string, fresh *site, first *[]string) {
	c.Helper()
	now := fresh.shape()
	if *first == nil {
		*first = now
	}
	if diff := cmp.Diff(*first, now); diff != "" {
		c.Errorf("%s, write %d: another end (-first +now):\n%s", what, c.at, diff)
	}
}
