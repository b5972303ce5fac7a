package digitalocean_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

const (
	// failed is the reason of the service controller's event about a failure.
	failed       = "SyncLoadBalancerFailed"
	allBalancers = "/v2/load_balancers"
	oneBalancer  = "/v2/load_balancers/*"
)

// broken is a way in which the cloud's answers go wrong. Says is a part of the event.
type broken struct {
	fault.Fault
	says string
}

// TestFaultsOnCreation: whatever goes wrong is said, and there is one balancer in the end,
// also where the cloud made it and the answer was lost.
func TestFaultsOnCreation(t *testing.T) {
	start(t, nil)
	hanging := hang(t)
	for name, b := range map[string]broken{
		"500":                         {fault.Fault{Method: "POST", Path: allBalancers, Status: 500, Times: 1}, "500"},
		"500 though it was made":      {fault.Fault{Method: "POST", Path: allBalancers, Status: 500, Times: 1, Apply: true}, "500"},
		"dropped though it was made":  {fault.Fault{Method: "POST", Path: allBalancers, Drop: true, Times: 1, Apply: true}, "creating balancer"},
		"cut answer":                  {fault.Fault{Method: "POST", Path: allBalancers, Truncate: new(40), Times: 1}, "creating balancer"},
		"nonsense though it was made": {fault.Fault{Method: "POST", Path: allBalancers, Status: 200, Body: `{"error": null}`, Times: 1, Apply: true}, "creating balancer"},
		"401":                         {fault.Fault{Method: "POST", Path: allBalancers, Status: 401, Times: 1}, "refuses the credentials"},
		"403":                         {fault.Fault{Method: "POST", Path: allBalancers, Status: 403, Times: 1}, "refuses the credentials"},
		"nonsense list":               {fault.Fault{Method: "GET", Path: allBalancers, Status: 200, Body: `{}`, Times: 9}, "listing balancers"},
		"no JSON":                     {fault.Fault{Method: "GET", Path: allBalancers, Status: 200, Body: `<html>busy</html>`, Times: 9}, "listing balancers"},
		"cut list":                    {fault.Fault{Method: "GET", Path: allBalancers, Truncate: new(5), Times: 9}, "listing balancers"},
		"list fails":                  {fault.Fault{Method: "GET", Path: allBalancers, Status: 503, Times: 9}, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			env.Cloud.AddFault(b.Fault)
			s := create(t, nil)
			s.event(failed, b.says)
			env.Cloud.ClearFaults()
			s.touch()
			svc, made := s.ready()
			if err := serves(svc, made); err != nil {
				t.Error(err)
			}
		})
	}
	hanging()
}

// hang makes the creation of a Service's balancer hang, after the cloud has made it. The
// function it returns waits for the time limit of the request and what follows.
func hang(t *testing.T) func() {
	t.Helper()
	env.Cloud.AddFault(fault.Fault{Method: "POST", Path: allBalancers, Hang: true, Apply: true, Times: 1})
	s := create(t, map[string]string{portable + "name": fmt.Sprintf("hanging-%d", serial.Add(1))})
	s.balancer(active)
	return func() {
		t.Helper()
		s.event(failed, "30s")
		svc, b := s.ready()
		if err := serves(svc, b); err != nil {
			t.Error(err)
		}
	}
}

// TestFaultsOnChange: likewise when a balancer is changed. Its path makes it the only one
// that is hit.
func TestFaultsOnChange(t *testing.T) {
	parallel(t)
	for name, b := range map[string]broken{
		"500":                        {fault.Fault{Method: "PUT", Status: 500, Times: 1}, "500"},
		"500 though it was done":     {fault.Fault{Method: "PUT", Status: 500, Times: 1, Apply: true}, "500"},
		"dropped though it was done": {fault.Fault{Method: "PUT", Drop: true, Times: 1, Apply: true}, "updating balancer"},
		"cut answer":                 {fault.Fault{Method: "PUT", Truncate: new(40), Times: 1}, "updating balancer"},
		"nonsense":                   {fault.Fault{Method: "PUT", Status: 200, Body: `{"load_balancer": {"id": "other"}}`, Times: 1}, "updating balancer"},
		"refused":                    {fault.Fault{Method: "PUT", Status: 422, Body: `{"id": "unprocessable_entity", "message": "not today"}`, Times: 1}, "not today"},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			s := create(t, nil)
			_, before := s.ready()
			b.Path = allBalancers + "/" + before.ID
			s.changeIn(b, before)
		})
	}
}

// changeIn changes the Service while its balancer's requests fail: that is said, and mended
// when the fault is over.
func (s *service) changeIn(b broken, before do.Balancer) {
	s.t.Helper()
	id := env.Cloud.AddFault(b.Fault)
	s.annotate(map[string]string{upstream + "deny-rules": "ip:192.0.2.1"})
	s.event(failed, b.says)
	env.Cloud.RemoveFault(id)
	s.touch()
	after := s.balancer(func(b *do.Balancer) error { return same(refused(b), "ip:192.0.2.1") })
	if after.ID != before.ID {
		s.t.Errorf("balancer %s took the place of %s", after.ID, before.ID)
	}
	s.await(serving(after))
}

// TestFaultyReads: nothing is changed, and no Service let go, before its balancer was read. One
// Service at a time: several would be served by a list of all balancers.
func TestFaultyReads(t *testing.T) {
	start(t, nil)
	for name, b := range map[string]broken{
		"401":     {fault.Fault{Status: 401}, "refuses the credentials"},
		"500":     {fault.Fault{Status: 500}, "reading balancer"},
		"null":    {fault.Fault{Status: 200, Body: `{"load_balancer": null}`}, "reading balancer"},
		"another": {fault.Fault{Status: 200, Body: `{"load_balancer": {"id": "1"}}`}, "reading balancer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := create(t, nil)
			_, before := s.ready()
			b.Method, b.Path = "GET", allBalancers+"/"+before.ID
			s.changeIn(b, before)

			id := env.Cloud.AddFault(b.Fault)
			b.Path = allBalancers // a deletion reads the list, and the balancer by itself where that fails
			list := env.Cloud.AddFault(b.Fault)
			env.Cloud.ResetTraffic()
			s.begin()
			err := env.Cloud.Until(within(t), func() bool { return routesAsked()["GET "+allBalancers+"/{id}"] > 1 })
			if err != nil {
				t.Fatalf("waiting for a second look: %v; requests: %v", err, routesAsked())
			}
			if n := env.Cloud.Counters().Mutating; n != 0 || len(s.get().Finalizers) == 0 {
				t.Errorf("%d changes, finalizers %v", n, s.get().Finalizers)
			}
			env.Cloud.RemoveFault(id)
			env.Cloud.RemoveFault(list)
			s.gone()
		})
	}
}

// TestFalseNotFound: a balancer that one answer says is gone is found otherwise, and is
// neither made again nor forgotten when its Service goes.
func TestFalseNotFound(t *testing.T) {
	parallel(t)
	s := create(t, nil)
	_, before := s.ready()
	id := env.Cloud.AddFault(fault.Fault{Method: "GET", Path: allBalancers + "/" + before.ID, Status: 404})
	if after := s.proof(); after.ID != before.ID {
		t.Errorf("balancer %s took the place of %s", after.ID, before.ID)
	}
	s.remove()
	env.Cloud.RemoveFault(id)
}

// TestFalseNotFoundOfDeletion: a deletion that is answered with "not found" is believed when another look
// shows nothing.
func TestFalseNotFoundOfDeletion(t *testing.T) {
	parallel(t)
	s := create(t, nil)
	_, b := s.ready()
	id := env.Cloud.AddFault(fault.Fault{
		Method: "DELETE", Path: allBalancers + "/" + b.ID, Status: 404, Times: 1,
		Body: `{"id": "not_found", "message": "The resource you were accessing could not be found."}`,
	})
	defer env.Cloud.RemoveFault(id)
	s.remove()
}

// TestBusy: while the cloud works on a balancer it refuses changes. That is no failure to
// wait minutes for.
func TestBusy(t *testing.T) {
	parallel(t)
	s := create(t, nil)
	_, before := s.ready()
	id := env.Cloud.AddFault(fault.Fault{
		Method: "PUT", Path: allBalancers + "/" + before.ID, Status: 422, Times: 2,
		Body: `{"id": "unprocessable_entity", "message": "Load Balancer can't be updated while it processes previous actions"}`,
	})
	defer env.Cloud.RemoveFault(id)
	s.annotate(map[string]string{upstream + "deny-rules": "ip:192.0.2.1"})
	began := time.Now()
	s.balancer(func(b *do.Balancer) error { return same(refused(b), "ip:192.0.2.1") })
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestFaultsOnDeletion: the Service stays until its balancer is really gone.
func TestFaultsOnDeletion(t *testing.T) {
	parallel(t)
	for name, f := range map[string]fault.Fault{
		"deletion fails": {Method: "DELETE", Path: oneBalancer, Status: 500},
		"dropped":        {Method: "DELETE", Path: oneBalancer, Drop: true, Apply: true, Times: 1},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			s := create(t, nil)
			_, b := s.ready()
			f.Path = allBalancers + "/" + b.ID
			id := env.Cloud.AddFault(f)
			s.begin()
			s.event("CloudFailure")
			if !f.Apply && len(s.get().Finalizers) == 0 {
				t.Error("the service is not held any more")
			}
			env.Cloud.RemoveFault(id)
			s.gone()
		})
	}
}

// TestThrottled: an answer 429 slows down, for as long as it asks for, and nothing is lost.
func TestThrottled(t *testing.T) {
	start(t, nil)
	s := create(t, nil)
	_, b := s.ready()
	env.Cloud.AddFault(fault.Fault{
		Path: "/v2/**", Status: http.StatusTooManyRequests, Times: 1, Header: map[string]string{"Retry-After": "3"},
	})
	env.Cloud.ResetTraffic()
	s.annotate(map[string]string{upstream + "deny-rules": "ip:192.0.2.1"})
	s.balancer(func(b *do.Balancer) error { return same(refused(b), "ip:192.0.2.1") })
	var refusal time.Time
	for _, r := range env.Cloud.Requests() {
		switch {
		case r.Status == http.StatusTooManyRequests:
			refusal = r.Start
		case !refusal.IsZero() && r.Start.Sub(refusal) < 3*time.Second:
			t.Errorf("%s %s came %s after the 429", r.Method, r.Path, r.Start.Sub(refusal))
		}
	}
	if refusal.IsZero() {
		t.Error("nothing was refused")
	}
	s.await(serving(b))
}

// TestQuota: the account can have no more balancers; when it can, the Service gets one.
func TestQuota(t *testing.T) {
	start(t, nil)
	first := create(t, nil)
	first.ready()
	env.Cloud.LoadBalancers.SetLimit(1)
	defer env.Cloud.LoadBalancers.SetLimit(0)
	second := create(t, nil)
	second.event(failed, "limit")
	env.Cloud.LoadBalancers.SetLimit(0)
	second.touch()
	second.ready()
}

// TestRevokedToken: with a token that is not valid nothing is forgotten, and a Service stays
// until its balancer could be deleted.
func TestRevokedToken(t *testing.T) {
	start(t, nil)
	s := create(t, nil)
	_, before := s.ready()
	env.Cloud.RevokeToken(env.Cloud.Secret())
	s.touch()
	s.event(failed, "refuses the credentials")
	n := refusals()
	s.begin()
	if err := env.Cloud.Until(within(t), func() bool { return refusals() > n }); err != nil {
		t.Fatalf("waiting for the deletion to be refused: %v", err)
	}
	env.Cloud.SetToken(env.Cloud.Secret(), "default")
	if find(env.Cloud.State(), before.ID) == nil {
		t.Fatal("the balancer is gone")
	}
	s.touchUnlessGone() // so that it is not waited for the next attempt
	s.gone()
}

// refusals counts the requests that were answered 401.
func refusals() int {
	n := 0
	for _, r := range env.Cloud.Requests() {
		if r.Status == http.StatusUnauthorized {
			n++
		}
	}
	return n
}
