package switchover

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Breakage is one change of a load balancer by hand, and a part of what the doctor says of it, at a level: "" is a failure.
type Breakage struct {
	Name        string
	Do          func()
	Says, Level string
}

// Compares are the flags of a controller manager for Broken. The lease outlives the time for which it stands still: who has not
// renewed a lease in time has to end.
var Compares = []string{
	"--leader-elect=true", "--leader-elect-lease-duration=5m", "--leader-elect-renew-deadline=4m", "--service-resync-period=1s",
}

// Broken makes one change by hand after the other to the load balancer of a Service. The doctor names each and changes nothing,
// plan lists the same step, and the next comparison makes the repair: then all is in order. The controller manager has to run
// with Compares, see Install and Switch; it stands still until the change was named. writes is how many changes were asked for
// since it was last called.
func (c *Cluster) Broken(t *testing.T, service string, writes func() int, all []Breakage) {
	t.Helper()
	c.inOrder()
	for _, breakage := range all {
		t.Run(breakage.Name, func(t *testing.T) {
			c.running.Freeze()
			defer c.running.Thaw()
			breakage.Do()
			writes()
			if err := c.named(service, breakage); err != nil {
				t.Fatal(err)
			}
			if n := writes(); n > 0 {
				t.Errorf("%d changes were made", n)
			}
			c.running.Thaw()
			repaired := func(context.Context) error { return errors.Join(c.finds(), c.leftToDo(service)) } //nolint:contextcheck // each command has a deadline of its own
			if err := controlplane.Eventually(c.within(patience), repaired); err != nil {
				t.Fatalf("it is not repaired: %v", err)
			}
		})
	}
}

// inOrder waits until the doctor finds nothing.
func (c *Cluster) inOrder() {
	c.t.Helper()
	c.must(controlplane.Eventually(c.within(patience), func(context.Context) error { return c.finds() })) //nolint:contextcheck // the command has a deadline of its own
}

// leftToDo returns what plan lists, as an error.
func (c *Cluster) leftToDo(service string) error {
	if answer := c.Run("plan", "service", service); answer.Code != 0 {
		return fmt.Errorf("plan: code %d: %s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	return nil
}

// finds returns what the doctor finds, as an error.
func (c *Cluster) finds() error {
	checks, err := c.checks()
	return errors.Join(err, InOrder(checks))
}

func (c *Cluster) checks() ([]Check, error) {
	answer := c.RunAs(c.AdminKubeconfig(), "doctor", "-o", "json", "--patience=1ms")
	checks, err := Checks(answer.Stdout)
	if err != nil {
		return nil, fmt.Errorf("%w: %s%s", err, answer.Stdout, answer.Stderr)
	}
	return checks, nil
}

// named returns nil when the doctor says what was changed and nothing else, and plan the same.
func (c *Cluster) named(service string, b Breakage) error {
	checks, err := c.checks()
	if err != nil {
		return err
	}
	level := b.Level
	if level == "" {
		level = "failure"
	}
	var problems []error
	for _, check := range checks {
		switch {
		case check.ID != "service-drift":
			problems = append(problems, InOrder([]Check{check}))
		case check.Level != level || len(check.Evidence) != 1 || !strings.HasPrefix(check.Evidence[0], service+": ") || !strings.Contains(check.Evidence[0], b.Says):
			return fmt.Errorf("want a %s with %q: %s", level, b.Says, check)
		case !strings.Contains(check.Fix, "at the next comparison"):
			return fmt.Errorf("it is not said when it is repaired: %s", check)
		default:
			step, _, _ := strings.Cut(strings.TrimPrefix(check.Evidence[0], service+": "), "; ")
			if text := c.Run("plan", "service", service).Stdout; !strings.Contains(text, strings.TrimSuffix(step, "…")) {
				return fmt.Errorf("plan does not list %q:\n%s", step, text)
			}
		}
	}
	return errors.Join(problems...)
}
