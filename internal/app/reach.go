package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/internal/config"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Somebody watches a sub-command.
const (
	// noticeAfter is how long it is silent at most.
	noticeAfter = 3 * time.Second
	// reachTime is how long a cloud may take for its first answer.
	reachTime = 20 * time.Second
)

// waiting says on out what is waited for, unless the function that it returns is called soon.
func waiting(out io.Writer, what string) (answered func()) {
	var told sync.WaitGroup
	over := make(chan struct{})
	told.Go(func() {
		select {
		case <-over:
		case <-time.After(noticeAfter):
			fmt.Fprintf(out, "Waiting for %s.\n", what)
		}
	})
	return func() {
		close(over)
		told.Wait()
	}
}

// errLate is the cause of a context that ends because a cloud is silent.
var errLate = fmt.Errorf("no answer within %s: %w", reachTime, context.DeadlineExceeded)

// within returns a context that ends after reachTime, unless the function that it returns is called before: what a driver
// was made with may go on being used.
func within(ctx context.Context) (_ context.Context, answered func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(reachTime, func() { cancel(errLate) })
	return ctx, func() { timer.Stop() }
}

// reached asks a cloud the first question, so that one that does not answer, or that refuses the credentials, is told once
// and not for each Node and Service. Credentials that may not read the account may be good for everything else.
func reached(ctx context.Context, c *run.Cloud) error {
	ctx, answered := within(ctx)
	defer answered()
	_, err := c.Account.Identity(ctx)
	if err == nil || cloud.NoAnswer(err) {
		return err
	}
	_, err = c.Instances.List(ctx)
	if err != nil && !cloud.IsClass(err, cloud.FailureUnauthorized) && ctx.Err() != nil {
		return nil // it answers, and has many machines
	}
	return err
}

// source says where the settings of the provider come from.
func (v *view) source() config.Source {
	s := config.Source{File: v.cloudConfig, Getenv: os.Getenv}
	if name, err := chooseProvider(v.provider, registry.Names()); err == nil {
		provider, _ := registry.Lookup(name)
		s.Provider = provider.Descriptor
	}
	return s
}

// unreached says in one sentence why nothing is known of a cloud, and which setting that is about.
func unreached(s config.Source, err error) error {
	advice := strings.TrimSuffix(cloud.Advice(err), "; it is tried again")
	switch address := s.Address(err); {
	case cloud.IsClass(err, cloud.FailureUnauthorized) && !cloud.NoSense(err):
		return fmt.Errorf("%s refuses the credentials of %s; renew them, and check their rights: %w", s.Provider.Title, s.Credentials(), err)
	case address != "" && advice != "":
		return fmt.Errorf("%s does not answer at the address of %s; %s: %w", s.Provider.Title, address, advice, err)
	case advice != "":
		return fmt.Errorf("%s does not answer; %s: %w", s.Provider.Title, advice, err)
	}
	return err
}

// about says which setting an error of a cloud is about, "" where that is not known.
func about(s config.Source, err error) string {
	if cloud.IsClass(err, cloud.FailureUnauthorized) {
		return "the credentials are those of " + s.Credentials()
	}
	if address := s.Address(err); address != "" {
		return "the address is that of " + address
	}
	return ""
}
