package app

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/internal/config"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// asked is a cloud that answers the first questions so.
type asked struct {
	cloud.Account
	identity, list func(context.Context) error
}

func (a asked) Identity(ctx context.Context) (cloud.Identity, error) {
	return cloud.Identity{}, a.identity(ctx)
}
func (a asked) Instances() cloud.Instances       { return machines{list: a.list} }
func (a asked) Classify(err error) cloud.Failure { return cloud.OtherFailure(err) }

type machines struct {
	cloud.Instances
	list func(context.Context) error
}

func (m machines) List(ctx context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{}, m.list(ctx)
}

func answers(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func silent(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// A cloud that does not answer, or refuses the credentials, ends a sub-command soon; one that only does not tell the account does not.
func TestReached(t *testing.T) {
	refused := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "reading", Err: errors.New("401")}
	gone := &url.Error{Op: "Get", URL: "http://127.0.0.1:1/account", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	for name, tt := range map[string]struct {
		cloud asked
		fails bool
		most  time.Duration
	}{
		"it answers":                      {asked{identity: answers(nil)}, false, 0},
		"connections are refused":         {asked{identity: answers(gone)}, true, time.Second},
		"nothing answers":                 {asked{identity: silent}, true, reachTime},
		"the credentials are refused":     {asked{identity: answers(refused), list: answers(refused)}, true, 0},
		"the account may not be read":     {asked{identity: answers(refused), list: answers(nil)}, false, 0},
		"that, and there is a long list":  {asked{identity: answers(refused), list: silent}, false, reachTime},
		"that, and the list is not there": {asked{identity: answers(refused), list: answers(gone)}, true, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := reached(t.Context(), run.Decorate(cloudtest.Driver(tt.cloud), run.Options{}))
				if took := time.Since(start); (err != nil) != tt.fails || took > tt.most {
					t.Errorf("%v after %s", err, took)
				}
			})
		})
	}
}

// What is wrong is said with the setting that it is about.
func TestUnreached(t *testing.T) {
	source := config.Source{
		Provider: cloud.Descriptor{Title: "Example", Settings: []cloud.Setting{{Name: "X_TOKEN", Secret: true}, {Name: "X_URL"}}},
		Getenv: func(name string) string {
			return map[string]string{"X_TOKEN": "secret", "X_URL": "http://127.0.0.1:1"}[name]
		},
	}
	failed := func(class cloud.Class, err error) error {
		return &cloud.Error{Failure: cloud.Failure{Class: class}, Op: "identity", Err: err}
	}
	for want, err := range map[string]error{
		"Example refuses the credentials of X_TOKEN; renew them, and check their rights: identity: 401": failed(cloud.FailureUnauthorized, errors.New("401")),
		"Example does not answer at the address of X_URL; the cloud can't be reached: check proxy and firewall from where this runs: identity: ": failed(cloud.FailureTransient,
			&url.Error{Op: "Get", URL: "http://127.0.0.1:1/account", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}),
		"Example does not answer; the cloud can't be reached: ": failed(cloud.FailureTransient, context.DeadlineExceeded),
		"identity: what?": failed(cloud.FailureUnknown, errors.New("what?")),
	} {
		if got := unreached(source, err); !strings.HasPrefix(got.Error(), want) || !errors.Is(got, err) {
			t.Errorf("%v, want %q", got, want)
		}
	}
}

// Nobody sits before a silent command: it says what it waits for, unless that comes soon.
func TestWaiting(t *testing.T) {
	for took, want := range map[time.Duration]string{0: "", noticeAfter - 1: "", noticeAfter + 1: "Waiting for the API of Example.\n"} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			answered := waiting(&out, "the API of Example")
			time.Sleep(took)
			answered()
			if out.String() != want {
				t.Errorf("after %s: %q, want %q", took, &out, want)
			}
		})
	}
}
